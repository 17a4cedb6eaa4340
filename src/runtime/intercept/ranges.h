// Memory that a call of libc reads or writes for its caller, as accesses of the caller. Only calls from instrumented
// code count: what other code does is its own affair. The words are those of src/calls/libc.calls.
#pragma once

#include <sys/uio.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cwchar>

#include "runtime/libc/real.h"
#include "runtime/mode.h"

namespace heddle::rt {

inline bool IsWatchedCall(const void* pc) {
  return g_mode > Mode::Off && t_hot.in_runtime == 0 && IsInstrumentedCode(pc);
}

inline void ReadsRange(void* pc, const volatile void* at, int64_t bytes) {
  if (at != nullptr && bytes > 0) g_access.read_range(const_cast<void*>(at), static_cast<uint64_t>(bytes), pc);
}
inline void WritesRange(void* pc, const volatile void* at, int64_t bytes) {
  if (at != nullptr && bytes > 0) g_access.write_range(const_cast<void*>(at), static_cast<uint64_t>(bytes), pc);
}

// The first `bytes` of what the pieces hold; all of it.
void WritesPieces(void* pc, const iovec* pieces, int64_t count, int64_t bytes);
void ReadsPieces(void* pc, const iovec* pieces, int64_t count);

// State inside libc that has no lock.
enum class State : uint8_t {
  k_strtok,
  k_environment,
  k_locale,
  k_signgam,
  k_hsearch,
  k_passwd,
  k_group,
  k_services,
  k_protocols,
  k_hosts,
  k_mounts,
  k_getopt,
  kCount
};
void ReadsState(void* pc, State state);
void WritesState(void* pc, State state);

// The texts that a format of printf reads, the format itself, and what %n writes; what a format of scanf has written
// when it returned `converted`. `list` is used up. A format with numbered arguments is not looked at.
void ReadsPrinted(void* pc, const char* format, va_list list);
void WritesScanned(void* pc, const char* format, va_list list, int converted);

// Bytes of a text with its end; of one that may have no end within the limit; of what a comparison reads.
inline int64_t Text(const char* text) { return text == nullptr ? 0 : static_cast<int64_t>(REAL(strlen)(text)) + 1; }
inline int64_t Text(const wchar_t* text) {
  int64_t length = 0;
  while (text[length] != 0) ++length;
  return (length + 1) * static_cast<int64_t>(sizeof(wchar_t));
}
inline int64_t TextWithin(const char* text, size_t limit) {
  size_t length = 0;
  while (length < limit && text[length] != '\0') ++length;
  return static_cast<int64_t>(length < limit ? length + 1 : limit);
}
inline int64_t Common(const char* a, const char* b, size_t limit = SIZE_MAX) {
  size_t i = 0;
  while (i < limit && a[i] == b[i] && a[i] != '\0') ++i;
  return static_cast<int64_t>(i < limit ? i + 1 : limit);
}
inline int64_t Min(int64_t a, uint64_t b) { return static_cast<uint64_t>(a) < b ? a : static_cast<int64_t>(b); }
template <typename T>
constexpr int64_t At(const T*) {
  return sizeof(T);  // NOLINT: of a pointer, where that is what p points at
}

}  // namespace heddle::rt
