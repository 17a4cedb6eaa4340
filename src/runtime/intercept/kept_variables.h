// An environment for a program that a recorded one executes: with heddle's variables, so that the other one is recorded
// too.
#pragma once

#include "runtime/control/replay/variables.h"
#include "runtime/memory/pages.h"

namespace heddle::rt {

template <typename Call>
int WithKeptVariables(char* const environment[], Call call) {
  int kept = control::KeptVariables();
  if (kept == 0) return call(environment);
  size_t count = 0;
  while (environment != nullptr && environment[count] != nullptr) ++count;
  size_t bytes = (count + static_cast<size_t>(kept) + 1) * sizeof(char*);
  auto** room = static_cast<char**>(MapPages(bytes));
  if (room == nullptr) return call(environment);
  int result = call(control::AddKept(environment, room) ? room : environment);
  int error = errno;
  UnmapPages(static_cast<void*>(room), bytes);
  errno = error;
  return result;
}

}  // namespace heddle::rt
