// A function that initialises as recursive, called for two mutexes.
// expect: none
#include <pthread.h>
#include <stdio.h>
pthread_mutex_t first, second;
int x;
static void make_recursive(pthread_mutex_t *mutex, const char *name) {
  pthread_mutexattr_t attr;
  if (pthread_mutexattr_init(&attr) != 0) return;
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  for (const char *at = name; *at != 0; at++) putchar(*at == ' ' ? '_' : *at);
  printf("%s %s %s %s\n", name, name, name, name);
  printf("%s %s %s\n", name, name, name);
  for (const char *at = name; *at != 0; at++) putchar(*at == '-' ? '_' : *at);
  pthread_mutex_init(mutex, &attr);
  pthread_mutexattr_destroy(&attr);
  puts(name);
}
int main() {
  make_recursive(&first, "first");
  make_recursive(&second, "second");
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&second);
  x++;
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&first);
}
