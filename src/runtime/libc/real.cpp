#include "runtime/libc/real.h"

#include <dlfcn.h>

namespace heddle::rt {
namespace {

// Stand-ins for the time before FindRealFunctions: the dynamic linker and constructors of other libraries use these.
void* EarlyMove(void* to, const void* from, size_t bytes) noexcept {
  auto* out = static_cast<volatile char*>(to);
  const auto* in = static_cast<const volatile char*>(from);
  if (out <= in) {
    for (size_t i = 0; i < bytes; ++i) out[i] = in[i];
  } else {
    while (bytes > 0) {
      --bytes;
      out[bytes] = in[bytes];
    }
  }
  return to;
}

void* EarlySet(void* to, int value, size_t bytes) noexcept {
  auto* out = static_cast<volatile char*>(to);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(value);
  return to;
}

int EarlyCompare(const void* a, const void* b, size_t bytes) noexcept {
  const auto* x = static_cast<const volatile unsigned char*>(a);
  const auto* y = static_cast<const volatile unsigned char*>(b);
  for (size_t i = 0; i < bytes; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}

size_t EarlyLength(const char* text) noexcept {
  const volatile char* at = text;
  while (*at != '\0') ++at;
  return static_cast<size_t>(at - text);
}

int EarlyTextCompare(const char* a, const char* b, size_t bytes) noexcept {
  const volatile char* x = a;
  const volatile char* y = b;
  for (; bytes > 0; --bytes, ++x, ++y) {
    auto p = static_cast<unsigned char>(*x);
    auto q = static_cast<unsigned char>(*y);
    if (p != q) return p < q ? -1 : 1;
    if (p == 0) return 0;
  }
  return 0;
}

int EarlyStrcmp(const char* a, const char* b) noexcept { return EarlyTextCompare(a, b, SIZE_MAX); }

constexpr RealFunctions EarlyFunctions() {
  RealFunctions early{};
  early.memcpy = EarlyMove;
  early.memmove = EarlyMove;
  early.memset = EarlySet;
  early.memcmp = EarlyCompare;
  early.strlen = EarlyLength;
  early.strncmp = EarlyTextCompare;
  early.strcmp = EarlyStrcmp;
  return early;
}

}  // namespace

// Complete enough from the first instruction on: other libraries start before this one.
constinit RealFunctions g_real = EarlyFunctions();

namespace {

template <typename F>
void Find(F* to, const char* name, const char* version) {
  void* found = version == nullptr ? nullptr : dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) *to = reinterpret_cast<F>(found);
}

}  // namespace

void* FindNext(const char* name) { return dlsym(RTLD_NEXT, name); }

void* FindCxx(const char* name) {
  static const char* const libraries[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"};
  void* found = FindNext(name);
  for (const char* library : libraries) {
    if (found != nullptr) break;
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) found = dlsym(handle, name);
  }
  return found;
}

void FindRealFunctions() {
  RealFunctions found = g_real;
#define HEDDLE_FIND(name) Find(&found.name, #name, nullptr);
#define HEDDLE_FIND_VERSIONED(name, version) Find(&found.name, #name, version);
  HEDDLE_REAL_FUNCTIONS(HEDDLE_FIND, HEDDLE_FIND_VERSIONED)
#undef HEDDLE_FIND
#undef HEDDLE_FIND_VERSIONED
  g_real = found;
}

}  // namespace heddle::rt
