// A library with a lock of its own: atomic instructions, and futex where it has to wait.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word;

unsigned Used(void) {
  struct timespec limit = {0, 1000};
  __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, word, &limit, NULL, 0);
  __atomic_fetch_sub(&word, 1, __ATOMIC_SEQ_CST);
  return 4;
}
