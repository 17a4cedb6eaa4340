// Descriptors that come in messages, are duplicated, and closed all at once.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2];

static void* send_one(void* unused) {
  int file = open("input.txt", O_RDONLY);
  char room[CMSG_SPACE(sizeof file)] = "";
  char byte = 'x';
  struct iovec piece = {&byte, 1};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(header), &file, sizeof file);
  sendmsg(pair[0], &message, 0);
  close(file);
  return unused;
}

int main(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  pthread_t thread;
  pthread_create(&thread, 0, send_one, 0);
  char room[CMSG_SPACE(sizeof(int))];
  char byte = 0;
  char text[32] = "";
  struct iovec piece = {&byte, 1};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  recvmsg(pair[1], &message, 0);
  int got = -1;
  memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
  pthread_join(thread, 0);
  ssize_t n = read(got, text, sizeof text);
  printf("%c %d %zd %.*s", byte, got, n, (int)n, text);
  int copy = dup(got);
  int far = fcntl(got, F_DUPFD, 50);
  printf("%d %d %ld\n", copy, far, (long)lseek(copy, 0, SEEK_CUR));
  closefrom(3);
  printf("%d %d\n", open("input.txt", O_RDONLY), (int)write(far, "x", 1));
  return 0;
}
