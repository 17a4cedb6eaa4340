/* Semaphores: waiting, trying, timing out, posting. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "check.h"

static sem_t filled;
static sem_t empty;
static int box;
static const struct timespec past = {1, 0};

static void* Produce(void* argument) {
  (void)argument;
  for (int i = 1; i <= 3; ++i) {
    CHECK(sem_wait(&empty) == 0);
    box = i;
    CHECK(sem_post(&filled) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  CHECK(sem_init(&filled, 0, 0) == 0);
  CHECK(sem_init(&empty, 0, 1) == 0);
  CHECK(sem_trywait(&filled) == -1 && errno == EAGAIN);
  CHECK(sem_timedwait(&filled, &past) == -1 && errno == ETIMEDOUT);
  CHECK(sem_clockwait(&filled, CLOCK_MONOTONIC, &past) == -1 && errno == ETIMEDOUT);
  CHECK(sem_trywait(&empty) == 0);
  CHECK(sem_post(&empty) == 0);
  pthread_create(&thread, NULL, Produce, NULL);
  int sum = 0;
  errno = 0;
  for (int i = 0; i < 3; ++i) {
    CHECK(sem_wait(&filled) == 0);
    sum += box;
    CHECK(sem_post(&empty) == 0);
  }
  CHECK(errno == 0); /* a wait that succeeds leaves errno alone */
  pthread_join(thread, NULL);
  CHECK(sem_destroy(&filled) == 0);
  printf("%d\n", sum);
  return 0;
}
