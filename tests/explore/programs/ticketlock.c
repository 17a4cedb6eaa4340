/* N threads take a ticket lock once: N! executions; rounds of waiting are not executions of their own.
   EXPLORE: -DN=4 -> executions=24 total=24
   EXPLORE: -DN=4 -> options=--memory,c11 executions=24 total=24
   EXPLORE: -DN=5 -> executions=120 total=120 options=--no-races
 */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int next_ticket;
static atomic_int now_serving;
static int shared;
static void* Work(void* unused) {
  int ticket = atomic_fetch_add(&next_ticket, 1);
  while (atomic_load(&now_serving) != ticket) {
  }
  ++shared;
  atomic_store(&now_serving, ticket + 1);
  return unused;
}
int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; ++i) pthread_create(&threads[i], 0, Work, 0);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return shared != N;
}
