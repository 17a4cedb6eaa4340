/* 128-bit atomics, as gcc and clang emit them with -mcx16; both halves are in the trace. */
#include "check.h"

__extension__ typedef unsigned __int128 wide;

static wide value __attribute__((aligned(16)));

static wide Make(unsigned long high, unsigned long low) { return ((wide)high << 64) | low; }

int main(void) {
  wide expected = Make(5, 6);
  CHECK(__sync_bool_compare_and_swap(&value, 0, Make(1, 2)));
  CHECK(!__atomic_compare_exchange_n(&value, &expected, Make(7, 8), 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
  CHECK(expected == Make(1, 2));
  CHECK(__atomic_compare_exchange_n(&value, &expected, Make(3, 4), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  CHECK(__atomic_load_n(&value, __ATOMIC_ACQUIRE) == Make(3, 4));
  __atomic_store_n(&value, Make(9, 10), __ATOMIC_RELEASE);
  CHECK(__atomic_exchange_n(&value, Make(11, 12), __ATOMIC_RELAXED) == Make(9, 10));
  CHECK(__atomic_load_n(&value, __ATOMIC_SEQ_CST) == Make(11, 12));
  puts("done");
  return 0;
}
