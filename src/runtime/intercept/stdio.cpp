// Printing. Each call is one visible operation under control, so the order of what threads print is the schedule's;
// otherwise the calls are passed on. C++ streams that are synchronised with stdio come through here too.
#undef __OPTIMIZE__  // libc would define some of these inline

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/control/replay/output_check.h"
#include "runtime/control/search/gaps.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

bool Uncontrolled() { return Passive() || !control::Controlled(); }

template <typename Call>
auto Print(FILE* file, const void* pc, Call call) {
  if (file != nullptr && g_mode == Mode::Detect && !Passive()) detect::StreamWritten(REAL(fileno)(file));
  if (Uncontrolled()) return call();
  if (file != stdout && file != stderr && file != nullptr) control::NoteStream(file);
  return control::CallInTurn(heddle::sched::kPrint, reinterpret_cast<uint64_t>(file), pc, call);
}

// With what it prints, for the check against a recording.
template <typename Call>
auto PrintBytes(FILE* file, const void* data, size_t bytes, const void* pc, Call call) {
  return Print(file, pc, [&] {
    if (control::OutputChecked(file)) control::NoteOutput(data, bytes, reinterpret_cast<uint64_t>(pc));
    return call();
  });
}

// The beginning of a long text stands for all of it.
void NoteFormatted(FILE* file, const char* format, va_list list, const void* pc) {
  if (!control::OutputChecked(file)) return;
  int error = errno;
  char text[1024];
  va_list again;
  va_copy(again, list);
  int bytes = vsnprintf(text, sizeof text, format, again);
  va_end(again);
  size_t shown = bytes < 0 ? 0 : static_cast<size_t>(bytes);
  if (shown >= sizeof text) shown = sizeof text - 1;
  control::NoteOutput(text, shown, reinterpret_cast<uint64_t>(pc));
  errno = error;
}

// The texts are read as by the caller.
void NotePrinted(const char* format, va_list list, const void* pc) {
  if (!IsWatchedCall(pc)) return;
  va_list copy;
  va_copy(copy, list);
  ReadsPrinted(const_cast<void*>(pc), format, copy);
  va_end(copy);
}

int PrintFormatted(FILE* file, const char* format, va_list list, const void* pc) {
  NotePrinted(format, list, pc);
  return Print(file, pc, [&] {
    NoteFormatted(file, format, list, pc);
    return REAL(vfprintf)(file, format, list);
  });
}
int PrintChecked(FILE* file, int flag, const char* format, va_list list, const void* pc) {
  NotePrinted(format, list, pc);
  return Print(file, pc, [&] {
    NoteFormatted(file, format, list, pc);
    return REAL(__vfprintf_chk)(file, flag, format, list);
  });
}

int PrintByte(int c, FILE* file, const void* pc) {
  auto byte = static_cast<unsigned char>(c);
  return PrintBytes(file, &byte, 1, pc, [&] { return REAL(fputc)(c, file); });
}

}  // namespace

HEDDLE_INTERCEPT int vfprintf(FILE* file, const char* format, va_list list) {
  return PrintFormatted(file, format, list, HEDDLE_PC);
}
HEDDLE_INTERCEPT int vprintf(const char* format, va_list list) {
  return PrintFormatted(stdout, format, list, HEDDLE_PC);
}
HEDDLE_INTERCEPT int printf(const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = PrintFormatted(stdout, format, list, HEDDLE_PC);
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int fprintf(FILE* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = PrintFormatted(file, format, list, HEDDLE_PC);
  va_end(list);
  return result;
}
// What fortified programs call.
HEDDLE_INTERCEPT int __vfprintf_chk(FILE* file, int flag, const char* format, va_list list) {
  return PrintChecked(file, flag, format, list, HEDDLE_PC);
}
HEDDLE_INTERCEPT int __printf_chk(int flag, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = PrintChecked(stdout, flag, format, list, HEDDLE_PC);
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int __fprintf_chk(FILE* file, int flag, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = PrintChecked(file, flag, format, list, HEDDLE_PC);
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int puts(const char* text) {
  if (IsWatchedCall(HEDDLE_PC)) ReadsRange(HEDDLE_PC, text, Text(text));
  return PrintBytes(stdout, text, REAL(strlen)(text), HEDDLE_PC, [&] { return REAL(puts)(text); });
}
HEDDLE_INTERCEPT int fputs(const char* text, FILE* file) {
  if (IsWatchedCall(HEDDLE_PC)) ReadsRange(HEDDLE_PC, text, Text(text));
  return PrintBytes(file, text, REAL(strlen)(text), HEDDLE_PC, [&] { return REAL(fputs)(text, file); });
}
HEDDLE_INTERCEPT int fputc(int c, FILE* file) { return PrintByte(c, file, HEDDLE_PC); }
HEDDLE_INTERCEPT int putc(int c, FILE* file) { return PrintByte(c, file, HEDDLE_PC); }
HEDDLE_INTERCEPT int putchar(int c) { return PrintByte(c, stdout, HEDDLE_PC); }
HEDDLE_INTERCEPT size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  if (IsWatchedCall(HEDDLE_PC)) ReadsRange(HEDDLE_PC, from, static_cast<int64_t>(size * count));
  return PrintBytes(file, from, size * count, HEDDLE_PC, [&] { return REAL(fwrite)(from, size, count, file); });
}
HEDDLE_INTERCEPT int fflush(FILE* file) {
  return Print(file, HEDDLE_PC, [&] { return REAL(fflush)(file); });
}
HEDDLE_INTERCEPT void perror(const char* text) {
  int error = errno;
  Print(stderr, HEDDLE_PC, [&] {
    errno = error;
    REAL(perror)(text);
    return 0;
  });
}

// The lock of a stream, which a thread may take again. Under control libc's is left alone: a thread that prints has the
// turn in any case.
static void StreamLock(Kind kind, FILE* file, Manner manner, const void* pc) {
  if (Passive() || control::Controlled()) return;
  Op op = MakeOp(kind, file, pc);
  op.detail = LockDetail{LockClass::Annotated, false, manner}.Pack();
  Commit(op);
}
HEDDLE_INTERCEPT void flockfile(FILE* file) noexcept {
  static auto* const real = reinterpret_cast<void (*)(FILE*)>(FindNext("flockfile"));
  real(file);
  StreamLock(Kind::Lock, file, Manner::Block, HEDDLE_PC);
}
HEDDLE_INTERCEPT int ftrylockfile(FILE* file) noexcept {
  static auto* const real = reinterpret_cast<int (*)(FILE*)>(FindNext("ftrylockfile"));
  int error = real(file);
  if (error == 0) StreamLock(Kind::Lock, file, Manner::Try, HEDDLE_PC);
  return error;
}
HEDDLE_INTERCEPT void funlockfile(FILE* file) noexcept {
  static auto* const real = reinterpret_cast<void (*)(FILE*)>(FindNext("funlockfile"));
  StreamLock(Kind::Unlock, file, Manner::Block, HEDDLE_PC);
  real(file);
}
