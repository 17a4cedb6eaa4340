// The environment: state of libc that has no lock, and that other calls of it tell without a system call. A search does
// not see who asks.
#include "runtime/control/search/gaps.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

HEDDLE_INTERCEPT int setenv(const char* name, const char* value, int replace) noexcept {
  control::NoteSharedGap("setenv");
  void* pc = HEDDLE_PC;
  if (IsWatchedCall(pc)) {
    ReadsRange(pc, name, Text(name));
    ReadsRange(pc, value, Text(value));
    WritesState(pc, State::k_environment);
  }
  return REAL(setenv)(name, value, replace);
}
HEDDLE_INTERCEPT int unsetenv(const char* name) noexcept {
  control::NoteSharedGap("unsetenv");
  void* pc = HEDDLE_PC;
  if (IsWatchedCall(pc)) {
    ReadsRange(pc, name, Text(name));
    WritesState(pc, State::k_environment);
  }
  return REAL(unsetenv)(name);
}
HEDDLE_INTERCEPT int putenv(char* text) noexcept {
  control::NoteSharedGap("putenv");
  void* pc = HEDDLE_PC;
  if (IsWatchedCall(pc)) {
    ReadsRange(pc, text, Text(text));
    WritesState(pc, State::k_environment);
  }
  return REAL(putenv)(text);
}
