// A race, and surroundings in which heddle itself has a hard time. FIXED: no race.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int value;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* Add(void* unused) {
#ifdef FIXED
  pthread_mutex_lock(&m);
#endif
  value++;
#ifdef FIXED
  pthread_mutex_unlock(&m);
#endif
  return unused;
}

static void Race(void) {
  pthread_t a;
  pthread_t b;
  pthread_create(&a, 0, Add, 0);
  pthread_create(&b, 0, Add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}

static void ForbidCalls(void) {
  struct sock_filter rules[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SYS_write},
                                {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
                                {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  struct sock_fprog program = {4, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "";
  struct rlimit memory = {200 << 20, 200 << 20};
  struct rlimit none = {0, 0};
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "close") == 0) {
    for (int fd = 3; fd < 5000; ++fd) close(fd);
  }
  if (strcmp(how, "closefrom") == 0) closefrom(3);
  if (strcmp(how, "memory") == 0) setrlimit(RLIMIT_AS, &memory);
  if (strcmp(how, "files") == 0) setrlimit(RLIMIT_FSIZE, &none);
  Race();
  if (strcmp(how, "seccomp") == 0) ForbidCalls();
  return 0;
}
