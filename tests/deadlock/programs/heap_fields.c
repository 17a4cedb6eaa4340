// Two locks of one structure on the heap, in opposite orders.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
struct job { int id; pthread_mutex_t first; long n; pthread_mutex_t second; };
void *one(void *arg) {
  struct job *j = arg;
  pthread_mutex_lock(&j->first);   //@ A
  pthread_mutex_lock(&j->second);  //@ B
  j->n++;
  pthread_mutex_unlock(&j->second);
  pthread_mutex_unlock(&j->first);
  return 0;
}
void *two(void *arg) {
  struct job *j = arg;
  pthread_mutex_lock(&j->second);  //@ C
  pthread_mutex_lock(&j->first);   //@ D
  j->n++;
  pthread_mutex_unlock(&j->first);
  pthread_mutex_unlock(&j->second);
  return 0;
}
int main() {
  struct job *j = calloc(1, sizeof *j);
  pthread_t a, b;
  pthread_create(&a, 0, one, j);
  pthread_create(&b, 0, two, j);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
