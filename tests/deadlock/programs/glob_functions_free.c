// The fixed twin of glob_functions.c: glob is called without the other lock.
// expect: none
#define _GNU_SOURCE
#include <pthread.h>
#include <glob.h>
#include <string.h>
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void *open_folder(const char *name) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
static void *one(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
static void *two(void *arg) {
  glob_t found;
  memset(&found, 0, sizeof found);
  found.gl_opendir = open_folder;
  glob("/x*", GLOB_ALTDIRFUNC, 0, &found);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
