/* Threads that tell each other something by other means than memory: the search takes both orders, or says that it is
 * not complete.
 * EXPLORE: -DKEY -> findings=assertion
 * EXPLORE: -DVALUE -> findings=assertion
 * EXPLORE: -DDESCRIPTOR -> findings=assertion
 * EXPLORE: -DSTREAM -> exit=3 says=threads.share.a.stream.of.stdio
 * EXPLORE: -DLIMIT -> exit=3 says=setrlimit
 * EXPLORE: -DBREAK -> exit=3 says=sbrk
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static pthread_key_t g_key;
static sem_t g_semaphore;
static int g_descriptor;
static FILE* g_stream;
static void* g_break;
static void Prepare(void) {
  pthread_key_create(&g_key, 0);
  sem_init(&g_semaphore, 0, 0);
  g_descriptor = dup(0);
  g_stream = fmemopen("ab", 2, "r");
  g_break = sbrk(0);
}
static void* Tell(void* unused) {
#if defined KEY
  pthread_key_t key;
  pthread_key_create(&key, 0);
#elif defined VALUE
  sem_post(&g_semaphore);
#elif defined DESCRIPTOR
  close(g_descriptor);
#elif defined STREAM
  getc(g_stream);
#elif defined LIMIT
  struct rlimit limit = {100, 100};
  setrlimit(RLIMIT_NOFILE, &limit);
#else
  sbrk(4096);
#endif
  return unused;
}
static int Told(void) {
#if defined KEY
  pthread_key_t key;
  pthread_key_create(&key, 0);
  return key != g_key + 1;
#elif defined VALUE
  int value = 0;
  sem_getvalue(&g_semaphore, &value);
  return value;
#elif defined DESCRIPTOR
  return fcntl(g_descriptor, F_GETFD) < 0;
#elif defined STREAM
  return getc(g_stream) != 'a';
#elif defined LIMIT
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur == 100;
#else
  return sbrk(0) != g_break;
#endif
}
static void* Hear(void* unused) {
  int told = Told();
#if defined KEY || defined VALUE || defined DESCRIPTOR
  assert(told);  // not when it comes first
#endif
  (void)told;
  return unused;
}
int main(void) {
  pthread_t threads[2];
  Prepare();
  pthread_create(&threads[0], 0, Tell, 0);
  pthread_create(&threads[1], 0, Hear, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
