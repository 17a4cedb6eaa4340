// What a program learns from outside: ids, times of files, ports, timers, events, children, standard input through stdio.
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <thread>

static void Ids() {
  std::printf("process %d of %d\n", getpid(), getppid());
  std::thread([] { std::printf("thread %d\n", gettid()); }).join();
}

static void Files() {
  std::FILE* file = std::fopen("inputs.tmp", "w");
  if (file == nullptr) return;
  std::fputs("x", file);
  std::fclose(file);
  struct stat about{};
  stat("inputs.tmp", &about);
  std::printf("written at %ld.%09ld, node %lu\n", about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_ino);
  unlink("inputs.tmp");
}

static void Sockets() {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  bind(fd, reinterpret_cast<sockaddr*>(&address), length);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("port %d\n", ntohs(address.sin_port));
  close(fd);
}

static void Events() {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  itimerspec every{{0, 100000}, {0, 100000}};
  timerfd_settime(timer, 0, &every, nullptr);
  uint64_t ticks = 0;
  if (read(timer, &ticks, sizeof ticks) < 0) return;
  std::printf("ticks %lu\n", ticks);
  int event = eventfd(0, 0);
  std::thread writer([event] { eventfd_write(event, 42); });
  eventfd_t value = 0;
  eventfd_read(event, &value);
  writer.join();
  std::printf("event %lu\n", value);
}

static void Children() {
  int ends[2];
  if (pipe(ends) != 0) return;
  pid_t child = fork();
  if (child == 0) {
    dprintf(ends[1], "child is %d", getpid());
    _exit(7);
  }
  close(ends[1]);
  char text[64];
  ssize_t bytes = read(ends[0], text, sizeof text);
  int status = 0;
  pid_t ended = waitpid(child, &status, 0);
  std::printf("%.*s; %d %d ended with %d\n", static_cast<int>(bytes), text, child, ended, WEXITSTATUS(status));
}

static void StandardInput() {
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr && line[0] != '.') std::printf("line %s", line);
  int number = 0;
  if (std::scanf("%d", &number) == 1) std::printf("number %d, descriptor %d\n", number, fileno(stdin));
  std::string word;
  while (std::cin >> word) std::cout << "word " << word << "\n";
}

int main() {
  Ids();
  Files();
  Sockets();
  Events();
  Children();
  StandardInput();
  return 0;
}
