#include "runtime/control/standard_input.h"

#include <stdio_ext.h>
#include <unistd.h>

namespace heddle::rt::control {
namespace {

FILE* g_input = nullptr;

// As the program: a visible operation, recorded or given back.
ssize_t ReadInput(void*, char* to, size_t bytes) { return read(STDIN_FILENO, to, bytes); }
int CloseInput(void*) { return close(STDIN_FILENO); }

}  // namespace

void ReplaceStandardInput() {
  cookie_io_functions_t functions{};
  functions.read = ReadInput;
  functions.close = CloseInput;
  g_input = fopencookie(nullptr, "r", functions);
  if (g_input == nullptr) return;
  // A thread that waits for its turn inside must not hold a lock that the scheduler does not see.
  __fsetlocking(g_input, FSETLOCKING_BYCALLER);
  stdin = g_input;
}

bool IsOurInput(const FILE* file) { return file != nullptr && file == g_input; }

}  // namespace heddle::rt::control
