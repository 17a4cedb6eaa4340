// The program's own malloc is called by functions of the C library only.
#include <pthread.h>
#include <string.h>
static char memory[1000000];
static unsigned long used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *malloc(unsigned long bytes) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  unsigned long begin = used;              //@ A
  used = begin + (bytes + 15) / 16 * 16;  //@ B
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return memory + begin;
}
void free(void *address) {}
char *copies[2];
static void *copy(void *of) {
  copies[1] = strdup(of);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, copy, "one");
  copies[0] = strdup("two");
  pthread_join(thread, 0);
  return 0;
}
// expect: used A-B
