// Functions of libc that read or write memory for their caller. What code that was not instrumented does is its own
// affair: only calls from instrumented modules are accesses (gcc leaves memcpy calls as they are; clang does not).
//
// The C++ library is the exception: strings and streams are the program's objects, and much of what they do is compiled
// into the library. What it copies and compares counts for the call in the program, whose address lies on the stack.
#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/output/process_text.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

struct StackBounds {
  uintptr_t low = 0, high = 0;  // 0: not asked yet
};
thread_local StackBounds t_stack __attribute__((tls_model("initial-exec")));

// Up to where the stack above `at` can be read for sure: its end, or, on one of the program's own making, the page's.
uintptr_t ReadableUpTo(uintptr_t at) {
  constexpr uintptr_t kPage = 4096;
  if (t_stack.high == 0) {
    RuntimeScope scope;
    void* low = nullptr;
    size_t bytes = 0;
    StackRange(&low, &bytes);
    t_stack.low = reinterpret_cast<uintptr_t>(low);
    t_stack.high = t_stack.low + bytes;
  }
  bool inside = at >= t_stack.low && at < t_stack.high;
  return inside ? t_stack.high : (at | (kPage - 1)) + 1;
}

// The return address in instrumented code that is next on the stack; null: there is none near.
__attribute__((noinline)) void* CallerOnStack() {
  constexpr uintptr_t kMost = 512 * sizeof(void*);
  auto at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t end = ReadableUpTo(at);
  if (end - at > kMost) end = at + kMost;
  for (; at + sizeof(void*) <= end; at += sizeof(void*)) {
    void* word = *reinterpret_cast<void**>(at);  // NOLINT: on the stack
    if (IsReturnAddress(word)) return word;
  }
  return nullptr;
}

// For whom the call counts; null: for nobody. Off and Unknown: nobody watches, and these are called before anything has
// started.
void* Watched(void* pc) {
  if (g_mode <= Mode::Off) return nullptr;
  if (IsInstrumentedCode(pc)) return pc;
  bool library = g_mode == Mode::Detect && t_hot.in_runtime == 0 && t_hot.thread != nullptr && IsCxxLibraryCode(pc);
  return library ? CallerOnStack() : nullptr;
}

void Reads(const void* at, size_t bytes, void* pc) {
  if (void* caller = Watched(pc); caller != nullptr) g_access.read_range(const_cast<void*>(at), bytes, caller);
}
void Writes(void* at, size_t bytes, void* pc) {
  if (void* caller = Watched(pc); caller != nullptr) g_access.write_range(at, bytes, caller);
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
  if (Watched(HEDDLE_PC) != nullptr) {
    size_t read = CommonLength(a, b, SIZE_MAX);
    Reads(a, read, HEDDLE_PC);
    Reads(b, read, HEDDLE_PC);
  }
  return REAL(strcmp)(a, b);
}
HEDDLE_INTERCEPT int strncmp(const char* a, const char* b, size_t bytes) noexcept {
  if (Watched(HEDDLE_PC) != nullptr) {
    size_t read = CommonLength(a, b, bytes);
    Reads(a, read, HEDDLE_PC);
    Reads(b, read, HEDDLE_PC);
  }
  return REAL(strncmp)(a, b, bytes);
}
HEDDLE_INTERCEPT char* strcpy(char* to, const char* from) noexcept {
  if (Watched(HEDDLE_PC) != nullptr) {
    size_t bytes = REAL(strlen)(from) + 1;
    Reads(from, bytes, HEDDLE_PC);
    Writes(to, bytes, HEDDLE_PC);
  }
  return REAL(strcpy)(to, from);
}
HEDDLE_INTERCEPT char* strncpy(char* to, const char* from, size_t bytes) noexcept {
  if (Watched(HEDDLE_PC) != nullptr) {
    size_t length = strnlen(from, bytes);
    Reads(from, length < bytes ? length + 1 : bytes, HEDDLE_PC);
    Writes(to, bytes, HEDDLE_PC);
  }
  return REAL(strncpy)(to, from, bytes);
}
HEDDLE_INTERCEPT char* strcat(char* to, const char* from) noexcept {
  if (Watched(HEDDLE_PC) != nullptr) {
    size_t bytes = REAL(strlen)(from) + 1;
    size_t before = REAL(strlen)(to);
    Reads(from, bytes, HEDDLE_PC);
    Reads(to, before + 1, HEDDLE_PC);
    Writes(to + before, bytes, HEDDLE_PC);
  }
  return REAL(strcat)(to, from);
}
