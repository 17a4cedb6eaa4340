// fork without exec: the child has threads and pipes of its own, and forks again. What each prints depends on the order
// of its threads, on clocks, on ids and on what comes through pipes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex g_lock;
std::string g_order;

void Work(char name) {
  for (int i = 0; i < 20; ++i) {
    std::lock_guard hold(g_lock);
    g_order += name;
  }
}

void RunThreads() {
  g_order.clear();
  std::thread a(Work, 'a');
  std::thread b(Work, 'b');
  a.join();
  b.join();
}

long Nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_nsec;
}

void Tell(const char* who, const char* received) {
  char text[400];
  int bytes = snprintf(text, sizeof text, "%s %d of %d: %s %s %ld\n", who, static_cast<int>(getpid()),
                       static_cast<int>(getppid()), g_order.c_str(), received, Nanoseconds());
  ssize_t ignored = write(STDOUT_FILENO, text, static_cast<size_t>(bytes));
  (void)ignored;
}

int Child(int in, int out) {
  char received[64] = {};
  ssize_t ignored = read(in, received, sizeof received - 1);
  RunThreads();
  Tell("child", received);
  if (pid_t grandchild = fork(); grandchild != 0) {
    int status = 0;
    waitpid(grandchild, &status, 0);
    char text[64];
    int bytes = snprintf(text, sizeof text, "status %d at %ld", WEXITSTATUS(status), Nanoseconds());
    ignored = write(out, text, static_cast<size_t>(bytes));
    (void)ignored;
    return 5;
  }
  RunThreads();
  Tell("grandchild", "");
  _exit(7);
}

}  // namespace

int main() {
  int down[2];
  int up[2];
  if (pipe(down) != 0 || pipe(up) != 0) return 1;
  std::thread earlier(Work, 'e');  // the child's threads have other numbers than the first ones
  earlier.join();
  pid_t child = fork();
  if (child == 0) return Child(down[0], up[1]);
  char text[64];
  int bytes = snprintf(text, sizeof text, "sent at %ld", Nanoseconds());
  ssize_t ignored = write(down[1], text, static_cast<size_t>(bytes));
  RunThreads();
  char received[64] = {};
  ignored = read(up[0], received, sizeof received - 1);
  (void)ignored;
  int status = 0;
  waitpid(child, &status, 0);
  Tell("parent", received);
  return WEXITSTATUS(status);
}
