// A message orders its sender and its receiver.
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "steps.h"
int data;
int main() {
  char name[32];
  snprintf(name, sizeof name, "/heddle-%d", getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 2;
  attributes.mq_msgsize = 8;
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue == mqd_t(-1)) {  // none on this machine: a pair of pipe ends would say the same
    perror("mq_open");
    return 1;
  }
  mq_unlink(name);
  std::thread sender([=] {
#ifndef BUG
    data = 1;
#endif
    mq_send(queue, "a", 1, 0);
#ifdef BUG
    data = 1;
#endif
    NextStep();
  });
  char text[8];
  if (mq_receive(queue, text, sizeof text, nullptr) != 1) abort();
  WaitStep(1);
  data = 2;
  sender.join();
  mq_close(queue);
}
