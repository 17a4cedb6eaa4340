/* The C interface of explorations within a test's own process; heddle/explore.h is the one for C++. */
#ifndef HEDDLE_EXPLORE_CALL_H
#define HEDDLE_EXPLORE_CALL_H

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_explore_options {
  unsigned long executions; /* stop after so many; 0: no limit */
  double seconds;           /* ... after this time */
  int preemptions;          /* at most so many in an execution; below 0: no bound */
  unsigned long depth;      /* longer executions are cut; 0: 20,000 operations */
  int (*failed)(void);      /* asked at the end of each execution: nonzero when it went wrong; may be null */
};

struct heddle_exploration {
  int ran;                  /* 0: the body was not explored, `unsupported` says why; it may have run once */
  int complete;             /* every interleaving was explored */
  int failed;               /* an execution went wrong, `failure` says how */
  unsigned long executions; /* performed */
  unsigned long blocked;    /* of others that were abandoned as redundant */
  unsigned long events;     /* operations in them */
  char failure[256];        /* the first one that went wrong; the search stops there */
  char schedule[4096];      /* its operations, thread by thread */
  char bound[256];          /* what stopped a search that is not complete */
  char unsupported[256];
};

/* `body` is called with `argument` again and again. Returns `ran`. Weak: null without heddle's runtime. */
__attribute__((weak)) int heddle_explore(const struct heddle_explore_options* options, void (*body)(void*),
                                         void* argument, struct heddle_exploration* result);

#ifdef __cplusplus
}
#endif

#endif
