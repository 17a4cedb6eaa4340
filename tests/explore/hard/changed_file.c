/* A file that the program changes and reads: executions are not repeatable, and that is said.
 * EXPLORE: -> exit=3 says=a.file.is.opened.to.be.written */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int g_sum;
static void* Run(void* unused) {
  g_sum++;
  return unused;
}
int main(void) {
  pthread_t thread, other;
  char name[] = "changed_file.tmp";
  pthread_create(&thread, 0, Run, 0);
  int file = open(name, O_RDWR | O_CREAT | O_APPEND, 0600);
  int times = (int)lseek(file, 0, SEEK_END);
  if (write(file, "x", 1) != 1) return 1;
  close(file);
  /* Every execution finds a longer file, and performs more operations. */
  for (int i = 0; i < times && i < 20; ++i) g_sum++;
  pthread_create(&other, 0, Run, 0);
  pthread_join(thread, 0);
  pthread_join(other, 0);
  if (times > 20) unlink(name);
  return 0;
}
