// posix_spawn and vfork while other threads run.
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <thread>
extern char** environ;
int data;
std::mutex m;
int main() {
  std::thread t([] {
    for (int i = 0; i < 200; ++i) {
      std::lock_guard lock(m);
      ++data;
    }
  });
  for (int i = 0; i < 3; ++i) {
    pid_t pid;
    char name[] = "/bin/true";
    char* args[] = {name, nullptr};
    if (posix_spawn(&pid, name, nullptr, nullptr, args, environ) != 0) abort();
    waitpid(pid, nullptr, 0);
    pid = vfork();
    if (pid == 0) {
      execv(name, args);
      _exit(1);
    }
    waitpid(pid, nullptr, 0);
  }
#ifdef BUG
  ++data;
#else
  {
    std::lock_guard lock(m);
    ++data;
  }
#endif
  t.join();
}
