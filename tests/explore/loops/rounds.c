/* Loops that wait by rounds over several things. SET is what the other thread does; where it leaves something out, a
   thread waits for ever.
   EXPLORE: -DWAIT=two_differ -DSET=X -> findings=none
   EXPLORE: -DWAIT=two_differ -DSET=Z -> findings=livelock
   EXPLORE: -DWAIT=two_differ -DSET=X,Y -> findings=livelock
   EXPLORE: -DWAIT=two_differ -DSET=X,Y -> findings=livelock options=--memory,c11
   EXPLORE: -DWAIT=two_differ -DSET=Z -O0 -> findings=livelock
   EXPLORE: -DWAIT=two_differ -DSET=Z -> findings=livelock options=--no-races
   EXPLORE: -DWAIT=both -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=both -DSET=X,Y -> findings=none options=--memory,c11
   EXPLORE: -DWAIT=both -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=both -DSET=X -> findings=livelock options=--memory,c11
   EXPLORE: -DWAIT=sum -DSET=X,Y,Z -> findings=none
   EXPLORE: -DWAIT=sum -DSET=X,Z -> findings=livelock
   EXPLORE: -DWAIT=yields -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=yields -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=sleeps -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=sleeps -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=nested -DSET=Y,X -> findings=none
   EXPLORE: -DWAIT=nested -DSET=Y -> findings=livelock
   EXPLORE: -DWAIT=takes -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=takes -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=allocates -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=allocates -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=same_again -DSET=X,Y -> findings=none
   EXPLORE: -DWAIT=same_again -DSET=X -> findings=livelock
   EXPLORE: -DWAIT=back_again -DSET=X,Y -> findings=none options=--no-races
   EXPLORE: -DWAIT=back_again -DSET=X -> findings=livelock
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
/* Not static: a compiler may take a cell that nobody writes for a constant, and a loop over it for none. */
atomic_int cells[3];
static atomic_int owned;
static int plain;
enum { X, Y, Z };
static int Get(int cell) { return atomic_load(&cells[cell]); }
static void two_differ(void) {
  while (Get(X) == Get(Y)) {
  }
}
static void both(void) {
  while (!Get(X) || !Get(Y)) {
  }
}
static void sum(void) {
  while (Get(X) + Get(Y) + Get(Z) != 3) {
  }
}
static void yields(void) {
  while (!Get(X) || !Get(Y)) sched_yield();
}
static void sleeps(void) {
  while (!Get(X) || !Get(Y)) usleep(10);
}
static void nested(void) {
  while (!Get(X)) {
    while (!Get(Y)) {
    }
  }
}
static void takes(void) {
  for (;;) {
    int expected = 0;
    if (Get(X) && Get(Y) && atomic_compare_exchange_strong(&owned, &expected, 1)) return;
  }
}
static void allocates(void) {
  while (!Get(X) || !Get(Y)) free(malloc(8));
}
static void same_again(void) {
  while (!Get(X) || !Get(Y)) plain = 7;
}
__attribute__((noinline)) static void Put(int value) { plain = value; }
static void back_again(void) {
  while (!Get(X) || !Get(Y)) {
    Put(1);
    Put(0);
  }
}
static void* Waiter(void* unused) {
  (void)two_differ, (void)both, (void)sum, (void)yields, (void)sleeps, (void)nested;
  (void)takes, (void)allocates, (void)same_again, (void)back_again;
  WAIT();
  return unused;
}
static void* Setter(void* unused) {
  static const int order[] = {SET};
  for (unsigned i = 0; i < sizeof order / sizeof *order; ++i) atomic_store(&cells[order[i]], 1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, Waiter, 0);
  pthread_create(&threads[1], 0, Setter, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
