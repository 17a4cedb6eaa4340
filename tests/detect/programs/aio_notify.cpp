// libc runs the function in a thread of its own when the operation is done. The blocks are used again.
#include <aio.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

#include "steps.h"
sem_t done;
int count;
static void Finished(sigval value) {
  ++*static_cast<int*>(value.sival_ptr);
  sem_post(&done);
#ifdef BUG
  WaitStep(1);
  ++*static_cast<int*>(value.sival_ptr);
  NextStep();
#endif
}
int main() {
  sem_init(&done, 0, 0);
  FILE* file = tmpfile();
  char text[8] = "text";
  aiocb block{};
  block.aio_fildes = fileno(file);
  block.aio_buf = text;
  block.aio_nbytes = 4;
  block.aio_sigevent.sigev_notify = SIGEV_THREAD;
  block.aio_sigevent.sigev_notify_function = Finished;
  block.aio_sigevent.sigev_value.sival_ptr = &count;
#ifdef BUG
  constexpr int kRounds = 1;
#else
  constexpr int kRounds = 3;
#endif
  for (int i = 0; i < kRounds; ++i) {
    count = 1;
    aio_write(&block);
    sem_wait(&done);
    ++count;
  }
#ifdef BUG
  NextStep();
  WaitStep(2);
#endif
}
