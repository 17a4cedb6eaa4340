// The scheduler waits and looks for news with system calls of its own: the program's errno does not show them.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 700 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static _Atomic int count;

static void Check(const char* behind, int expected) {
  if (errno == expected) return;
  printf("errno is %d behind %s\n", errno, behind);
  exit(3);
}

static void* Run(void* number) {
  int mine = 100 + (int)(long)number;
  errno = mine;
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&mutex);
    Check("pthread_mutex_lock", mine);
    pthread_mutex_unlock(&mutex);
    Check("pthread_mutex_unlock", mine);
    pthread_rwlock_rdlock(&rwlock);
    Check("pthread_rwlock_rdlock", mine);
    pthread_rwlock_unlock(&rwlock);
    sem_wait(&semaphore);
    Check("sem_wait", mine);
    ++count;
    sem_post(&semaphore);
    Check("sem_post", mine);
  }
  pthread_barrier_wait(&barrier);
  Check("pthread_barrier_wait", mine);
  return NULL;
}

int main(void) {
  enum { kThreads = 3 };
  pthread_t threads[kThreads];
  sem_init(&semaphore, 0, 1);
  pthread_barrier_init(&barrier, NULL, kThreads);
  errno = 1;
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, Run, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  Check("pthread_join", 1);
  printf("%d\n", count);
  return 0;
}
