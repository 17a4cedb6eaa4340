/* A lock taken by a compare-and-swap that is repeated with the same expected value: the round that fails is cut.
   EXPLORE: -> findings=none
   EXPLORE: -DBUG -> findings=data-race */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *waiter(void *unused) {
  int expected = 1;
  while (!atomic_compare_exchange_strong(&flag, &expected, 2)) expected = 1;
  ++data;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
#ifdef BUG
  atomic_store(&flag, 1);
  ++data;
#else
  ++data;
  atomic_store(&flag, 1);
#endif
  pthread_join(thread, 0);
  return 0;
}
