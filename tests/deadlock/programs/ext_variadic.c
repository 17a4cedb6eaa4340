// A callback with its data through the variable arguments of a library function.
// expect: cycle A-B C-D
#include <pthread.h>
struct job { pthread_mutex_t first, second; };
extern void lib_setopt(void *handle, int option, ...);
extern void lib_perform(void *handle);
struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long on_data(char *text, long bytes, void *data) {
  struct job *job = data;
  pthread_mutex_lock(&job->first);   //@ A
  pthread_mutex_lock(&job->second);  //@ B
  pthread_mutex_unlock(&job->second);
  pthread_mutex_unlock(&job->first);
  return text == 0 ? 0 : bytes;
}
static void *t(void *x) {
  pthread_mutex_lock(&j.second);  //@ C
  pthread_mutex_lock(&j.first);   //@ D
  pthread_mutex_unlock(&j.first);
  pthread_mutex_unlock(&j.second);
  return x;
}
int main(void) {
  pthread_t id;
  pthread_create(&id, 0, t, 0);
  lib_setopt(0, 10001, &j);
  lib_setopt(0, 20011, on_data);
  lib_perform(0);
  pthread_join(id, 0);
}
