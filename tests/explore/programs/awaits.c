/* What a loop waits for, in the forms that compilers leave: an assertion that fails when a loop ends too early, or in
   one order only.
   EXPLORE: -DWAIT(v)=v!=3 -> executions=1 total=1
   EXPLORE: -DWAIT(v)=v<3 -> executions=1 total=1
   EXPLORE: -DWAIT(v)=3-v!=0 -> executions=1 total=1
   EXPLORE: -DWAIT(v)=(v^5)!=6 -> executions=1 total=1
   EXPLORE: -DWAIT(v)=!(v&1)||v==1 -> findings=none
   EXPLORE: -DWAIT(v)=v<2 -> findings=assertion
   EXPLORE: -DWAIT(v)=v<2 -> findings=assertion options=--memory,c11
   EXPLORE: -DWAIT(v)=!(v&1) -> findings=assertion
   EXPLORE: -DWAIT(v)=v!=4 -> findings=livelock
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int steps;
static int data;
static void* Wait(void* unused) {
  for (;;) {
    int v = atomic_load(&steps);
    if (!(WAIT(v))) break;
  }
  assert(atomic_load(&steps) == 3);
  ++data;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, Wait, 0);
  ++data;
  for (int i = 1; i <= 3; ++i) atomic_store(&steps, i);
  pthread_join(thread, 0);
  return data != 2;
}
