// Workers fetch the segments of a file and add up what they have. The order in which they do changes nothing.
// EXPLORE: -> executions=3432
// EXPLORE: -> executions=1 options=--goal,race
// EXPLORE: -DWORKERS=3 -> executions=1 options=--goal,race
// EXPLORE: -DWORKERS=4 -> executions=1 options=--goal,race
// EXPLORE: -DSEGMENTS=3 -DBUG -> findings=data-race,failure executions=20
// EXPLORE: -DSEGMENTS=3 -DBUG -> findings=data-race options=--goal,race executions=20
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SEGMENTS
#define SEGMENTS 7
#endif
#define BYTES 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long written;
static char file[WORKERS][SEGMENTS][BYTES];

static void *fetch(void *argument) {
  long worker = (long)argument;
  for (int segment = 0; segment < SEGMENTS; ++segment) {
    for (int i = 0; i < BYTES; ++i) file[worker][segment][i] = (char)('a' + (segment + i) % 26);
    pthread_mutex_lock(&lock);
    written += BYTES;
    pthread_mutex_unlock(&lock);
  }
#ifdef BUG
  if (worker == 1) written += 1;  // the end mark, without the lock
#endif
  return NULL;
}

int main(void) {
  pthread_t workers[WORKERS];
  for (long i = 0; i < WORKERS; ++i) pthread_create(&workers[i], NULL, fetch, (void *)i);
  for (int i = 0; i < WORKERS; ++i) pthread_join(workers[i], NULL);
  return written >= (long)sizeof file ? 0 : 1;
}
