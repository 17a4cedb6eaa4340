// Two structures in one container, told apart by how they are used.
// expect: none
#include <pthread.h>
#include <stdlib.h>
struct left {
  pthread_mutex_t *first, *second;
};
struct right {
  pthread_mutex_t *second, *first;
  long more;
};
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
void *slots[2];
int x, pick;
__attribute__((noinline)) void put(int n, void *item) { slots[(n + pick) % 2] = item; }
__attribute__((noinline)) void *get(int n) { return slots[(n + pick) % 2]; }
void *one(void *arg) {
  struct left *mine = get(0);
  pthread_mutex_lock(mine->first);
  pthread_mutex_lock(mine->second);
  x++;
  pthread_mutex_unlock(mine->second);
  pthread_mutex_unlock(mine->first);
  return 0;
}
void *two(void *arg) {
  struct right *mine = get(1);
  pthread_mutex_lock(mine->first);
  pthread_mutex_lock(mine->second);
  x++;
  pthread_mutex_unlock(mine->second);
  pthread_mutex_unlock(mine->first);
  return 0;
}
int main() {
  struct left *l = malloc(sizeof *l);
  l->first = &a_lock;
  l->second = &b_lock;
  struct right *r = malloc(sizeof *r);
  r->first = &a_lock;
  r->second = &b_lock;
  r->more = 0;
  put(0, l);
  put(1, r);
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
