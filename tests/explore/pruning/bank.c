// Accounts with a lock each, and a branch on one of the balances.
// EXPLORE: -> executions=44
// EXPLORE: -> executions=2 options=--goal,race
// EXPLORE: -DBUG -> findings=data-race
// EXPLORE: -DBUG -> findings=data-race options=--goal,race
#include <pthread.h>
#ifndef ROUNDS
#define ROUNDS 3
#endif

static pthread_mutex_t x_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t y_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t z_lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static int y;
static int z;
static int fee;

static void add(pthread_mutex_t *lock, int *account) {
  pthread_mutex_lock(lock);
  *account += 1;
  pthread_mutex_unlock(lock);
}

static void *first(void *unused) {
  add(&x_lock, &x);
  for (int i = 0; i < ROUNDS; ++i) add(&z_lock, &z);
  add(&y_lock, &y);
  return unused;
}

static void *second(void *unused) {
  for (int i = 0; i < ROUNDS; ++i) add(&z_lock, &z);
  pthread_mutex_lock(&x_lock);
  int rich = x > 0;
  pthread_mutex_unlock(&x_lock);
  if (rich) {
    add(&y_lock, &y);
  } else {
#ifdef BUG
    y += 1;
#else
    add(&z_lock, &fee);
#endif
  }
  return unused;
}

int main(void) {
  pthread_t one;
  pthread_t two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
