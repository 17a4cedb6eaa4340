// Heddle's variables in the environment of a recorded program. They differ between a recording and its replays, so a
// program that looks at all of its environment (CPython does) must not see them: they stand before the first one that
// `environ` shows. Programs that it starts get them back.
#pragma once

#include <unistd.h>

#include <cstddef>

namespace heddle::rt::control {

// At the start, before anything is hidden.
void KeepVariables();
// In a recording or a replay, when the runtime has started.
void HideVariables();
// As getenv, for the runtime's own use at any time.
const char* Variable(const char* name);

// For environments that the program made by itself, or that are without heddle's variables: how many are to be added.
// `room` has places for both and a null; false: nothing is to be added.
inline constexpr int kMaxKept = 32;
int KeptVariables();
bool AddKept(char* const* environment, char** room);

// While libc starts a program with `environ` (system, popen).
class ShownVariables {
 public:
  ShownVariables();
  ~ShownVariables();
  ShownVariables(const ShownVariables&) = delete;
  ShownVariables& operator=(const ShownVariables&) = delete;

 private:
  char** before_ = nullptr;
  char** room_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace heddle::rt::control
