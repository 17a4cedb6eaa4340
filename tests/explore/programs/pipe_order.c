/* A thread looks into a pipe without waiting, another one writes: both orders come, and each execution finds the pipe empty.
   EXPLORE: -> executions=2 findings=none
   EXPLORE: -DBUG -> executions=2 findings=assertion */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
  (void)unused;
  assert(write(ends[1], "a", 1) == 1);
  return 0;
}

int main(void) {
  if (pipe(ends) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  char byte;
  long n = read(ends[0], &byte, 1);
#ifdef BUG
  assert(n == 1);
#else
  assert(n == 1 || n == -1);
#endif
  pthread_join(thread, 0);
  return 0;
}
