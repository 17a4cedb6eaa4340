// Two stripes of a table in the order of the arguments.
// expect: class A-B
#include <pthread.h>
#include <stdlib.h>
enum { kStripes = 16 };
struct stripe {
  pthread_mutex_t lock;
  long sum;
} stripes[kStripes];
void move(unsigned from, unsigned to) {
  if (from % kStripes == to % kStripes) return;
  pthread_mutex_lock(&stripes[from % kStripes].lock);  //@ A
  pthread_mutex_lock(&stripes[to % kStripes].lock);    //@ B
  stripes[from % kStripes].sum--;
  stripes[to % kStripes].sum++;
  pthread_mutex_unlock(&stripes[to % kStripes].lock);
  pthread_mutex_unlock(&stripes[from % kStripes].lock);
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
