/* The thread that performed the last operation comes to one that it cannot perform, and nobody else can go on: what it stands before
 * counts as well. Tickets that are not taken atomically, by the number of threads (10 and 264 by enumeration); a lock and a semaphore
 * that are never given back, where the other one of the two could have been first.
 * EXPLORE: -DTHREADS=2 -> executions=10 findings=livelock
 * EXPLORE: -DTHREADS=3 -> executions=264 findings=livelock
 * EXPLORE: -DTHREADS=2 -> options=--algorithm,source executions=10 findings=livelock
 * EXPLORE: -DTHREADS=2 -> options=--algorithm,dpor findings=livelock
 * EXPLORE: -DTHREADS=2 -DBOTH -> findings=livelock,assertion
 * EXPLORE: -DTHREADS=2 -> options=--memory,c11 exit=3 says=wait.for.ever
 * EXPLORE: -DLOCK -DTHREADS=2 -> findings=deadlock,assertion,misuse
 * EXPLORE: -DSEMAPHORE -DTHREADS=2 -> findings=deadlock,assertion */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
static atomic_int g_next, g_owner;
static int g_tickets[THREADS];
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t g_tokens;
static void* Work(void* argument) {
  intptr_t own = (intptr_t)argument;
#ifdef LOCK
  pthread_mutex_lock(&g_lock);
  assert(own == 0);
#elif defined(SEMAPHORE)
  sem_wait(&g_tokens);
  assert(own == 0);
#else
  int ticket = atomic_load(&g_next);
  atomic_store(&g_next, ticket + 1);
  while (atomic_load(&g_owner) != ticket) {
  }
  atomic_store(&g_owner, ticket + 1);
  g_tickets[own] = ticket;
#endif
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  sem_init(&g_tokens, 0, 1);
  for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, Work, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
#ifdef BOTH
  assert(g_tickets[0] != g_tickets[1]);
#endif
  return 0;
}
