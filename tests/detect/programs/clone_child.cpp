// A copy of the process made by clone and by the system call: it goes on alone and is checked too.
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
std::atomic<long> beats;
int data;
alignas(64) char stack[1 << 18];
static void Child() {
  ++beats;
#ifdef BUG
  std::thread other([] { data = 1; });
  data = 2;
  other.join();
#else
  std::thread other([] { data = 1; });
  other.join();
  data = 2;
#endif
}
static int Start(void*) {
  Child();
  _exit(0);
}
int main() {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) ++beats;
  });
  for (int i = 0; i < 3; ++i) {
    int pid = clone(Start, stack + sizeof stack, SIGCHLD, nullptr);
    if (pid < 0 || waitpid(pid, nullptr, 0) != pid) abort();
  }
  for (int i = 0; i < 3; ++i) {
    long pid = syscall(SYS_fork);
    if (pid == 0) {
      Child();
      _exit(0);
    }
    if (waitpid(static_cast<pid_t>(pid), nullptr, 0) != pid) abort();
  }
  stop = true;
  busy.join();
}
