/* What the test programs share: CHECK ends the program with a message when something is not as it must be. */
#ifndef HEDDLE_TESTS_CHECK_H
#define HEDDLE_TESTS_CHECK_H

#ifdef __cplusplus
#include <cstdio>
#endif
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      exit(99);                                                                \
    }                                                                          \
  } while (0)

#endif
