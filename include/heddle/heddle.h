/* What a program may tell heddle. Works in C and C++; without heddle's runtime the calls do nothing, because the
 * functions are weak and the macros test for them. */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#ifdef __cplusplus
extern "C" {
#endif

/* An event of the program's own in the trace: `name` must be a string literal (it is known by its address). */
__attribute__((weak)) void heddle_event(const char* name, long value);

/* 1 while an analysis watches this run. */
__attribute__((weak)) int heddle_active(void);

/* A number below `count`. heddle explore tries all of them (up to 64); otherwise it is 0. */
__attribute__((weak)) unsigned heddle_choose(unsigned count);

/* The calling thread goes no further unless `holds`: such executions are of no interest to heddle explore. Without it,
 * nothing happens. */
__attribute__((weak)) void heddle_assume(int holds);

#ifdef __cplusplus
}

namespace heddle {
inline unsigned choose(unsigned count) { return heddle_choose ? heddle_choose(count) : 0; }
inline void assume(bool holds) {
  if (heddle_assume) heddle_assume(holds);
}
}  // namespace heddle
#endif

#define HEDDLE_EVENT(name, value)                           \
  do {                                                      \
    if (heddle_event) heddle_event("" name, (long)(value)); \
  } while (0)

#endif
