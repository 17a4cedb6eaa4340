// Fixes the order of a test's operations without synchronising them: the counter is changed by machine instructions
// that the compiler does not instrument, so the detector sees no edge.
#pragma once

#include <sched.h>

inline int g_step = 0;

inline int StepNow() {
  int now;
  asm volatile("movl %1, %0" : "=r"(now) : "m"(g_step) : "memory");
  return now;
}
inline void WaitStep(int step) {
  while (StepNow() < step) sched_yield();
}
inline void NextStep() { asm volatile("lock incl %0" : "+m"(g_step) : : "memory"); }
