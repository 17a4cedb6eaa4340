// A recursive function that calls itself with its lock held.
// expect: self A-A
#include <pthread.h>
pthread_mutex_t m;
int x;
int walk(int depth) {
  pthread_mutex_lock(&m);  //@ A
  int r = depth == 0 ? 0 : walk(depth - 1) + x;
  pthread_mutex_unlock(&m);
  return r;
}
int main() { return walk(3); }
