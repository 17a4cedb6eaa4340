// Blocks of a file go to workers in turn; each compresses its blocks and counts bytes and blocks, then the main thread
// writes them out. The workers signal that a block is ready.
// EXPLORE: -> executions=1536
// EXPLORE: -> executions=8 options=--goal,race
// EXPLORE: -DWORKERS=3 -> executions=48 options=--goal,race
// EXPLORE: -DBLOCKS=1 -DBUG -> findings=data-race
// EXPLORE: -DBLOCKS=1 -DBUG -> findings=data-race options=--goal,race
#include <pthread.h>
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BLOCKS
#define BLOCKS 3 /* of each worker */
#endif
#define BYTES 8

static pthread_mutex_t bytes_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ready_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static char input[WORKERS][BLOCKS][BYTES];
static char output[WORKERS][BLOCKS][2];
static int finished;
static long bytes;
static long blocks;

static void compress(long worker, int block) {
  char sum = 0;
  for (int i = 0; i < BYTES; ++i) sum = (char)(sum + input[worker][block][i]);
  output[worker][block][0] = sum;
  output[worker][block][1] = BYTES;
}

static void *work(void *argument) {
  long worker = (long)argument;
  for (int block = 0; block < BLOCKS; ++block) {
    compress(worker, block);
    pthread_mutex_lock(&bytes_lock);
    bytes += BYTES;
    pthread_mutex_unlock(&bytes_lock);
    pthread_mutex_lock(&blocks_lock);
    blocks += 1;
    pthread_mutex_unlock(&blocks_lock);
  }
  pthread_mutex_lock(&ready_lock);
  finished += 1;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&ready_lock);
#ifdef BUG
  output[worker][0][1] = 0;  // too late: it may be written out already
#endif
  return 0;
}

int main(void) {
  pthread_t workers[WORKERS];
  for (long i = 0; i < WORKERS; ++i) pthread_create(&workers[i], 0, work, (void *)i);
  pthread_mutex_lock(&ready_lock);
  while (finished < WORKERS) pthread_cond_wait(&ready, &ready_lock);
  pthread_mutex_unlock(&ready_lock);
  int written = 0;
  for (int i = 0; i < WORKERS; ++i) written += output[i][0][1];
  for (int i = 0; i < WORKERS; ++i) pthread_join(workers[i], 0);
  return written > WORKERS * BYTES;
}
