// The error path goes out without unlocking the inner lock; its caller takes the outer one again, and ends.
// expect: cycle A-B C-D
// expect: leak A D
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, entry = PTHREAD_MUTEX_INITIALIZER;
int x;
char *latest;
int update(int key) {
  int result = -1;
  pthread_mutex_lock(&table);
  pthread_mutex_lock(&entry);  //@ A
  char *text = malloc(key);
  if (text == 0) goto out;
  latest = text;
  result = 0;
  pthread_mutex_unlock(&entry);
out:
  pthread_mutex_unlock(&table);
  return result;
}
void *run(void *arg) {
  if (update(8) != 0) {
    pthread_mutex_lock(&table);  //@ B
    x++;
    pthread_mutex_unlock(&table);
  }
  return 0;
}
void *other(void *arg) {
  pthread_mutex_lock(&table);  //@ C
  pthread_mutex_lock(&entry);  //@ D
  pthread_mutex_unlock(&entry);
  pthread_mutex_unlock(&table);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
