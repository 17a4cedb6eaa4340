// The functions that programs of the SV-COMP benchmarks expect of their environment.
#include <pthread.h>

#include <cstdlib>

#include "runtime/control/search/explore.h"
#include "runtime/libc/real.h"
#include "runtime/mode.h"
#include "runtime/options.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

static uint32_t Nondet(uint32_t count, const void* pc) { return Passive() ? 0 : control::Choose(count, pc); }
static uint32_t Values() { return g_options.nondet < 1 ? 1 : static_cast<uint32_t>(g_options.nondet); }

#define HEDDLE_NONDET(type, name, count) \
  HEDDLE_INTERCEPT type __VERIFIER_nondet_##name() { return static_cast<type>(Nondet(count, HEDDLE_PC)); }

HEDDLE_NONDET(bool, bool, 2)
HEDDLE_NONDET(char, char, Values())
HEDDLE_NONDET(unsigned char, uchar, Values())
HEDDLE_NONDET(short, short, Values())
HEDDLE_NONDET(unsigned short, ushort, Values())
HEDDLE_NONDET(int, int, Values())
HEDDLE_NONDET(unsigned, uint, Values())
HEDDLE_NONDET(long, long, Values())
HEDDLE_NONDET(unsigned long, ulong, Values())

HEDDLE_INTERCEPT void __VERIFIER_assume(int holds) {
  if (holds == 0 && !Passive()) control::StopForGood(HEDDLE_PC);
}

HEDDLE_INTERCEPT void __VERIFIER_error() { abort(); }

// Atomic sections exclude each other; what other threads do outside of one may come in between (docs/explore.md).
static pthread_mutex_t g_atomic = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
HEDDLE_INTERCEPT void __VERIFIER_atomic_begin() {
  OnBehalfOf caller(HEDDLE_PC);
  pthread_mutex_lock(&g_atomic);
}
HEDDLE_INTERCEPT void __VERIFIER_atomic_end() {
  OnBehalfOf caller(HEDDLE_PC);
  pthread_mutex_unlock(&g_atomic);
}
