/* A connection between two threads: such executions run in copies of the process.
 * EXPLORE: -> findings=none says=a.copy.of.the.process */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static int g_ends[2];
static void* Run(void* unused) {
  assert(write(g_ends[1], "x", 1) == 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, g_ends) == 0);
  pthread_create(&thread, 0, Run, 0);
  char byte = 0;
  assert(read(g_ends[0], &byte, 1) == 1 && byte == 'x');
  pthread_join(thread, 0);
  return 0;
}
