/* Szymanski's algorithm for two threads, ROUNDS times each. A wait looks at most LOOKS times; what it would see behind
   that is left out, so most executions are blocked. Two rounds and two looks are 22945 in all.
   EXPLORE: -DROUNDS=1 -DLOOKS=1 -> executions=6 total=103
   EXPLORE: -DROUNDS=1 -DLOOKS=2 -> executions=14 total=289
   EXPLORE: -DROUNDS=2 -DLOOKS=1 -> executions=78 total=1991
   EXPLORE: -DROUNDS=2 -DLOOKS=2 -> executions=798 total=22945 full
 */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
static atomic_int flag[2];
static atomic_int inside;
#define AWAIT_NOT(condition)          \
  for (int looks = 1; condition; ++looks) __VERIFIER_assume(looks < LOOKS)
static void* Work(void* value) {
  long self = (long)value;
  atomic_int* own = &flag[self];
  atomic_int* other = &flag[1 - self];
  for (int round = 0; round < ROUNDS; ++round) {
    atomic_store(own, 1);
    AWAIT_NOT(atomic_load(other) >= 3);
    atomic_store(own, 3);
    if (atomic_load(other) == 1) {
      atomic_store(own, 2);
      AWAIT_NOT(atomic_load(other) != 4);
    }
    atomic_store(own, 4);
    AWAIT_NOT(atomic_load(other) >= 2);
    atomic_store(&inside, (int)self);
    (void)atomic_load(&inside);
    AWAIT_NOT(2 <= atomic_load(other) && atomic_load(other) <= 3);
    atomic_store(own, 0);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, Work, (void*)0);
  pthread_create(&b, 0, Work, (void*)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
