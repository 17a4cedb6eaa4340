// Printing. Each call is one visible operation under control, so the order of what threads print is the schedule's;
// otherwise the calls are passed on. C++ streams that are synchronised with stdio come through here too.
#undef __OPTIMIZE__  // libc would define some of these inline

#include <cstdarg>
#include <cstdio>

#include "runtime/intercept/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

bool Uncontrolled() { return Passive() || !control::Controlled(); }

template <typename Call>
auto Print(FILE* file, const void* pc, Call call) {
  if (Uncontrolled()) return call();
  return control::CallInTurn(heddle::sched::kPrint, reinterpret_cast<uint64_t>(file), pc, call);
}

}  // namespace

HEDDLE_INTERCEPT int vfprintf(FILE* file, const char* format, va_list list) {
  return Print(file, HEDDLE_PC, [&] { return REAL(vfprintf)(file, format, list); });
}
HEDDLE_INTERCEPT int vprintf(const char* format, va_list list) {
  return Print(stdout, HEDDLE_PC, [&] { return REAL(vfprintf)(stdout, format, list); });
}
HEDDLE_INTERCEPT int printf(const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = Print(stdout, HEDDLE_PC, [&] { return REAL(vfprintf)(stdout, format, list); });
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int fprintf(FILE* file, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = Print(file, HEDDLE_PC, [&] { return REAL(vfprintf)(file, format, list); });
  va_end(list);
  return result;
}
// What fortified programs call.
HEDDLE_INTERCEPT int __vfprintf_chk(FILE* file, int flag, const char* format, va_list list) {
  return Print(file, HEDDLE_PC, [&] { return REAL(__vfprintf_chk)(file, flag, format, list); });
}
HEDDLE_INTERCEPT int __printf_chk(int flag, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = Print(stdout, HEDDLE_PC, [&] { return REAL(__vfprintf_chk)(stdout, flag, format, list); });
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int __fprintf_chk(FILE* file, int flag, const char* format, ...) {
  va_list list;
  va_start(list, format);
  int result = Print(file, HEDDLE_PC, [&] { return REAL(__vfprintf_chk)(file, flag, format, list); });
  va_end(list);
  return result;
}
HEDDLE_INTERCEPT int puts(const char* text) {
  return Print(stdout, HEDDLE_PC, [&] { return REAL(puts)(text); });
}
HEDDLE_INTERCEPT int fputs(const char* text, FILE* file) {
  return Print(file, HEDDLE_PC, [&] { return REAL(fputs)(text, file); });
}
HEDDLE_INTERCEPT int fputc(int c, FILE* file) {
  return Print(file, HEDDLE_PC, [&] { return REAL(fputc)(c, file); });
}
HEDDLE_INTERCEPT int putc(int c, FILE* file) {
  return Print(file, HEDDLE_PC, [&] { return REAL(fputc)(c, file); });
}
HEDDLE_INTERCEPT int putchar(int c) {
  return Print(stdout, HEDDLE_PC, [&] { return REAL(fputc)(c, stdout); });
}
HEDDLE_INTERCEPT size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  return Print(file, HEDDLE_PC, [&] { return REAL(fwrite)(from, size, count, file); });
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
