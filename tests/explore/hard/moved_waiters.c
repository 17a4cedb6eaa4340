/* Two threads sleep at a futex. A third one wakes one and moves the other to a second futex, whom it wakes there; or it changes a word and wakes
 * at both at once; or it wakes one of the two by its bit. All of them go on. With BUG the bell is rung before the flag is set.
 * EXPLORE: -DMOVE -> findings=none bounded exit=3 says=FUTEX_REQUEUE
 * EXPLORE: -DMOVE -DBUG -> findings=deadlock bounded
 * EXPLORE: -DCHANGE -> findings=none bounded exit=3 says=FUTEX_WAKE_OP
 * EXPLORE: -DCHANGE -DBUG -> findings=deadlock bounded
 * EXPLORE: -DBITS -> findings=none bounded exit=3 says=FUTEX_WAKE_BITSET
 * EXPLORE: -DBITS -DBUG -> findings=deadlock bounded */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int g_flag[2], g_bell[2];
static long Call(atomic_int* word, int operation, int value, long count, atomic_int* other, unsigned last) {
  return syscall(SYS_futex, word, operation, value, count, other, last);
}
static void* Wait(void* argument) {
  long self = (long)argument;
#ifdef CHANGE
  long own = self, bit = -1;
#elif defined BITS
  long own = 0, bit = 1 << self;
#else
  long own = 0, bit = -1;
#endif
  for (;;) {
    int before = atomic_load(&g_bell[own]);
    if (atomic_load(&g_flag[self])) return NULL;
    Call(&g_bell[own], FUTEX_WAIT_BITSET_PRIVATE, before, 0, NULL, (unsigned)bit);
  }
}
static void SetFlags(void) {
  atomic_store(&g_flag[0], 1);
  atomic_store(&g_flag[1], 1);
}
static void Ring(void) {
#ifdef MOVE
  int rung = atomic_fetch_add(&g_bell[0], 1) + 1;
  Call(&g_bell[0], FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &g_bell[1], (unsigned)rung);
  Call(&g_bell[1], FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0);
#elif defined CHANGE
  atomic_fetch_add(&g_bell[0], 1);
  Call(&g_bell[0], FUTEX_WAKE_OP_PRIVATE, 1, 1, &g_bell[1], FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
#else
  atomic_fetch_add(&g_bell[0], 1);
  Call(&g_bell[0], FUTEX_WAKE_BITSET_PRIVATE, 1, 0, NULL, 2);
  Call(&g_bell[0], FUTEX_WAKE_BITSET_PRIVATE, 1, 0, NULL, 1);
#endif
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, Wait, (void*)i);
#ifdef BUG
  Ring();
  SetFlags();
#else
  SetFlags();
  Ring();
#endif
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
