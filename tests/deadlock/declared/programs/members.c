// Members with a lock of the same structure, many structures, through functions.
#include "attributes.h"
struct CAPABILITY lock {
  int kind;
  pthread_mutex_t m;
};
struct account {
  int number;
  struct lock mu;
  struct {
    long now;
    long last;
  } balance GUARDED_BY(mu);
  long moves GUARDED_BY(&mu);
};
static void add(struct account *account, long amount) REQUIRES(account->mu);
static void add(struct account *account, long amount) {
  account->balance.last = account->balance.now;
  account->balance.now += amount;
}
static void *work(void *arg) {
  struct account *account = arg;
  pthread_mutex_lock(&account->mu.m);
  add(account, 5);
  account->moves++;
  pthread_mutex_unlock(&account->mu.m);
#ifndef FIXED
  account->moves++;  // WRONG moves
  add(account, 1);   // WRONG add
#endif
  return arg;
}
int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->mu.m, 0);
    account->moves = 0;  // nobody has it yet
    pthread_create(&threads[i], 0, work, account);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  return 0;
}
