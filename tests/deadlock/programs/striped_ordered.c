// Two stripes of a table, the lower one first.
// expect: none
#include <pthread.h>
#include <stdlib.h>
enum { kStripes = 16 };
struct stripe {
  pthread_mutex_t lock;
  long sum;
} stripes[kStripes];
void move(unsigned from, unsigned to) {
  struct stripe *low = &stripes[from % kStripes], *high = &stripes[to % kStripes];
  if (low == high) return;
  if (low > high) {
    struct stripe *other = low;
    low = high;
    high = other;
  }
  pthread_mutex_lock(&low->lock);
  pthread_mutex_lock(&high->lock);
  low->sum--;
  high->sum++;
  pthread_mutex_unlock(&high->lock);
  pthread_mutex_unlock(&low->lock);
}
void *run(void *arg) {
  for (int i = 0; i < 100; i++) move(rand(), rand());
  return 0;
}
int main() {
  pthread_t threads[4];
  for (int i = 0; i < kStripes; i++) pthread_mutex_init(&stripes[i].lock, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}
