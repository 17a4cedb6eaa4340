// Fixes the order of a test's operations without synchronising them: the counter is changed by machine instructions in
// functions that are not instrumented, so the detector sees no edge.
#pragma once

#include <sched.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline)) inline

inline int g_step = 0;

UNSEEN int StepNow() {
  int now;
  asm volatile("movl %1, %0" : "=r"(now) : "m"(g_step) : "memory");
  return now;
}
inline void WaitStep(int step) {
  while (StepNow() < step) sched_yield();
}
UNSEEN void NextStep() { asm volatile("lock incl %0" : "+m"(g_step) : : "memory"); }
