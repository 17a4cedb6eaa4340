// Functions of libc that read or write memory for their caller. What code that was not instrumented does is its own
// affair: only calls from instrumented modules are accesses (gcc leaves memcpy calls as they are; clang does not).
#include "runtime/libc/real.h"
#include "runtime/mode.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// Off and Unknown: nobody watches, and these are called before anything has started.
bool Watched(const void* pc) { return g_mode > Mode::Off && IsInstrumentedCode(pc); }

void Reads(const void* at, size_t bytes, void* pc) {
  if (Watched(pc)) g_access.read_range(const_cast<void*>(at), bytes, pc);
}
void Writes(void* at, size_t bytes, void* pc) {
  if (Watched(pc)) g_access.write_range(at, bytes, pc);
}

size_t CommonLength(const char* a, const char* b, size_t limit) {
  size_t i = 0;
  while (i < limit && a[i] == b[i] && a[i] != '\0') ++i;
  return i < limit ? i + 1 : limit;
}

}  // namespace

HEDDLE_INTERCEPT void* memcpy(void* to, const void* from, size_t bytes) noexcept {
  Reads(from, bytes, HEDDLE_PC);
  Writes(to, bytes, HEDDLE_PC);
  return REAL(memcpy)(to, from, bytes);
}
HEDDLE_INTERCEPT void* memmove(void* to, const void* from, size_t bytes) noexcept {
  Reads(from, bytes, HEDDLE_PC);
  Writes(to, bytes, HEDDLE_PC);
  return REAL(memmove)(to, from, bytes);
}
HEDDLE_INTERCEPT void* memset(void* to, int value, size_t bytes) noexcept {
  Writes(to, bytes, HEDDLE_PC);
  return REAL(memset)(to, value, bytes);
}
HEDDLE_INTERCEPT int memcmp(const void* a, const void* b, size_t bytes) noexcept {
  Reads(a, bytes, HEDDLE_PC);
  Reads(b, bytes, HEDDLE_PC);
  return REAL(memcmp)(a, b, bytes);
}
HEDDLE_INTERCEPT size_t strlen(const char* text) noexcept {
  size_t length = REAL(strlen)(text);
  Reads(text, length + 1, HEDDLE_PC);
  return length;
}
HEDDLE_INTERCEPT int strcmp(const char* a, const char* b) noexcept {
  if (Watched(HEDDLE_PC)) {
    size_t read = CommonLength(a, b, SIZE_MAX);
    Reads(a, read, HEDDLE_PC);
    Reads(b, read, HEDDLE_PC);
  }
  return REAL(strcmp)(a, b);
}
HEDDLE_INTERCEPT int strncmp(const char* a, const char* b, size_t bytes) noexcept {
  if (Watched(HEDDLE_PC)) {
    size_t read = CommonLength(a, b, bytes);
    Reads(a, read, HEDDLE_PC);
    Reads(b, read, HEDDLE_PC);
  }
  return REAL(strncmp)(a, b, bytes);
}
HEDDLE_INTERCEPT char* strcpy(char* to, const char* from) noexcept {
  if (Watched(HEDDLE_PC)) {
    size_t bytes = REAL(strlen)(from) + 1;
    Reads(from, bytes, HEDDLE_PC);
    Writes(to, bytes, HEDDLE_PC);
  }
  return REAL(strcpy)(to, from);
}
HEDDLE_INTERCEPT char* strncpy(char* to, const char* from, size_t bytes) noexcept {
  if (Watched(HEDDLE_PC)) {
    size_t length = strnlen(from, bytes);
    Reads(from, length < bytes ? length + 1 : bytes, HEDDLE_PC);
    Writes(to, bytes, HEDDLE_PC);
  }
  return REAL(strncpy)(to, from, bytes);
}
HEDDLE_INTERCEPT char* strcat(char* to, const char* from) noexcept {
  if (Watched(HEDDLE_PC)) {
    size_t bytes = REAL(strlen)(from) + 1;
    size_t before = REAL(strlen)(to);
    Reads(from, bytes, HEDDLE_PC);
    Reads(to, before + 1, HEDDLE_PC);
    Writes(to + before, bytes, HEDDLE_PC);
  }
  return REAL(strcat)(to, from);
}
