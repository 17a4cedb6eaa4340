// As race_hidden.c, with memory that is allocated and reached through a function: many calls of `add`, of which only
// those for the shared account can meet. Two members are changed on one line; only one of them is without the lock.
#include <pthread.h>
#include <stdlib.h>
struct account {
  pthread_mutex_t m;
  long balance, moves;
};
struct account *shared;
static void add(struct account *account, long amount) { account->balance += amount; }
void *early(void *arg) {
  struct account mine = {.balance = 1};
  for (int i = 0; i < 20; ++i) add(&mine, i);
#ifdef FIXED
  pthread_mutex_lock(&shared->m);
  add(shared, mine.balance);
  pthread_mutex_unlock(&shared->m);
#else
  add(shared, mine.balance);
#endif
  pthread_mutex_lock(&shared->m);
  shared->moves++;
  pthread_mutex_unlock(&shared->m);
  return arg;
}
void *late(void *arg) {
  for (int i = 0; i < 400; ++i) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
  }
  pthread_mutex_lock(&shared->m);
  shared->balance--, shared->moves++;
  pthread_mutex_unlock(&shared->m);
  return arg;
}
int main(void) {
  shared = calloc(1, sizeof *shared);
  pthread_mutex_init(&shared->m, 0);
  pthread_t one, two;
  pthread_create(&one, 0, early, 0);
  pthread_create(&two, 0, late, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
