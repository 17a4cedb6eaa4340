// Correct as long as others get the time that it gives them: a child, a server, whoever writes to its standard input.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* Work(void* argument) { return argument; }

static pid_t Spawn(char* command, int to) {
  pid_t child;
  char* words[] = {"sh", "-c", command, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to, 1);
  return posix_spawnp(&child, "sh", &actions, NULL, words, environ) == 0 ? child : -1;
}

static int Child(void) {
  pid_t child = Spawn("exit 7", 1);
  if (child == -1) return 3;
  int status = 0;
  for (int i = 0; i < 300; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return WEXITSTATUS(status) == 7 ? 0 : 4;
    usleep(100000);
  }
  return 1;
}

static int Answer(int fd) {
  struct pollfd wait = {fd, POLLIN, 0};
  char byte;
  return poll(&wait, 1, 30000) == 1 && read(fd, &byte, 1) == 1 ? 0 : 1;
}

// The child says something, or nothing at all before this program has ended.
static int Word(int says) {
  int from[2], held[2];
  if (pipe2(from, O_CLOEXEC) != 0 || pipe2(held, O_CLOEXEC) != 0 || dup2(held[0], 0) != 0) return 3;
  return Spawn(says ? "echo" : "read line", from[1]) == -1 ? 3 : Answer(from[0]);
}

static int Server(const char* port) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, (struct sockaddr*)&to, sizeof to) != 0 || write(fd, "?", 1) != 1) return 3;
  return Answer(fd);
}

static int Input(void) {
  puts("ready");
  fflush(stdout);
  return Answer(0);
}

int main(int count, char** words) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  int code = count > 2                            ? Server(words[2])
             : strcmp(words[1], "child") == 0     ? Child()
             : strcmp(words[1], "talkative") == 0 ? Word(1)
             : strcmp(words[1], "silent") == 0    ? Word(0)
                                                  : Input();
  pthread_join(thread, NULL);
  puts(code == 0 ? "in time" : "too late");
  return code;
}
