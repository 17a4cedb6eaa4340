// A pool of four workers, made by fork, that accept on one listening socket. Each answers with its own count and a
// clock; the parent ends them when a client asks for it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

namespace {

int Answer(int connection, int count) {
  char question[64] = {};
  if (read(connection, question, sizeof question - 1) <= 0) return 0;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  char text[128];
  int bytes = 0;
  std::thread made([&] {
    bytes = snprintf(text, sizeof text, "%d: %d %s %ld\n", static_cast<int>(getpid()), count, question, now.tv_nsec);
  });
  made.join();
  ssize_t ignored = write(connection, text, static_cast<size_t>(bytes));
  ignored = write(STDOUT_FILENO, text, static_cast<size_t>(bytes));
  (void)ignored;
  return strcmp(question, "end") == 0;
}

[[noreturn]] void Serve(int listening) {
  for (int count = 1;; ++count) {
    int connection = accept(listening, nullptr, nullptr);
    if (connection < 0) _exit(2);
    int ends = Answer(connection, count);
    close(connection);
    if (ends != 0) _exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int listening = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(atoi(argv[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listening, 16) != 0) return 1;
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) Serve(listening);
  }
  for (int i = 0; i < 4; ++i) {
    int status = 0;
    wait(&status);
    printf("ended: %d\n", WEXITSTATUS(status));
  }
  return 0;
}
