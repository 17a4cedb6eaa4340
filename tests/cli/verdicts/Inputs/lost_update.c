// Two threads add one each. The increment is a load and a store: in some orders one is lost, and the program says so.
// FIXED: one atomic operation. ALWAYS: it fails in every order.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total;

static void* Add(void* unused) {
#ifdef FIXED
  total++;
#else
  int seen = total;
  total = seen + 1;
#endif
  return unused;
}

int main(void) {
  pthread_t a;
  pthread_t b;
  pthread_create(&a, 0, Add, 0);
  pthread_create(&b, 0, Add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#ifdef ALWAYS
  total = 0;
#endif
  if (total == 2) return 0;
  printf("FAILED: the total is %d\n", total);
  return 7;
}
