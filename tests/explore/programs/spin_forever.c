/* A thread waits for a flag that is never set when the other one was first.
   EXPLORE: -> executions=1
   EXPLORE: -DBUG -> findings=livelock
   EXPLORE: -DBUG -> findings=livelock options=--memory,c11
 */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static atomic_int flag;
static void* Wait(void* unused) {
  atomic_store(&turn, 1);
  while (atomic_load(&flag) == 0) {
  }
  return unused;
}
static void* Set(void* unused) {
#ifdef BUG
  if (atomic_load(&turn) == 1)
#endif
    atomic_store(&flag, 1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, Wait, 0);
  pthread_create(&threads[1], 0, Set, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
