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

#ifdef __cplusplus
}
#endif

#define HEDDLE_EVENT(name, value)                           \
  do {                                                      \
    if (heddle_event) heddle_event("" name, (long)(value)); \
  } while (0)

#endif
