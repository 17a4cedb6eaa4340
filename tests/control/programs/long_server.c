// A server that runs for long and then fails: requests come through a pipe (standard input), a reader hands them to
// workers through a queue, each worker adds to a sum, and the request 0 makes the sum wrong, which an assertion sees a
// few requests later. The request 255 takes a lock that its thread has already. A thread comes and goes every hundred requests.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kWorkers = 3, kRoom = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int queue[kRoom];
static unsigned head, tail;
static int ended;
static long sum, served, wanted;
static __thread long mine;
static FILE* words;  // only read

static void* Visitor(void* value) {
  pthread_mutex_lock(&lock);
  long seen = served;
  pthread_mutex_unlock(&lock);
  *(long*)value = seen;
  return value;
}

static void Serve(int request) {
  char* copy = malloc((size_t)request + 16);
  memset(copy, request, (size_t)request + 16);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  char word[32] = "\n";
  pthread_mutex_lock(&lock);
  if (words != NULL && fgets(word, sizeof word, words) == NULL) rewind(words);
  sum += request;
  wanted += request == 0 ? 1 : request;
  if (request == 255) pthread_mutex_lock(&lock);
  ++served;
  ++mine;
  if (served % 50 == 0) printf("%ld served, sum %ld, at %ld, %s", served, sum, (long)now.tv_nsec % 10, word);
  if (request == 1) assert(sum == wanted);
  pthread_mutex_unlock(&lock);
  free(copy);
}

static void* Worker(void* value) {
  (void)value;
  for (;;) {
    pthread_mutex_lock(&lock);
    while (head == tail && !ended) pthread_cond_wait(&filled, &lock);
    if (head == tail) break;
    int request = queue[head++ % kRoom];
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    Serve(request);
  }
  pthread_mutex_unlock(&lock);
  return &mine;
}

int main(int argc, char** argv) {
  pthread_t workers[kWorkers];
  if (argc > 1) words = fopen(argv[1], "r");
  for (int i = 0; i < kWorkers; ++i) pthread_create(&workers[i], NULL, Worker, NULL);
  unsigned char request;
  for (long count = 1; read(STDIN_FILENO, &request, 1) == 1; ++count) {
    pthread_mutex_lock(&lock);
    while (tail - head == kRoom) pthread_cond_wait(&emptied, &lock);
    queue[tail++ % kRoom] = request;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    if (count % 100 == 0) {
      pthread_t visitor;
      long seen = 0;
      void* same = NULL;
      pthread_create(&visitor, NULL, Visitor, &seen);
      pthread_join(visitor, &same);
      if (same != &seen) return 3;
    }
  }
  pthread_mutex_lock(&lock);
  ended = 1;
  pthread_cond_broadcast(&filled);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i], NULL);
  printf("end: %ld served, sum %ld\n", served, sum);
  return 0;
}
