#include "runtime/output/at_finding.h"

extern "C" __attribute__((noinline)) void heddle_at_fork(int follows) { asm volatile("" ::"r"(follows) : "memory"); }

extern "C" __attribute__((noinline)) void heddle_at_finding(const char* what) {
  asm volatile("" ::"r"(what) : "memory");
}
