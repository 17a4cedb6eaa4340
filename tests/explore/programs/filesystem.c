/* Inodes and blocks under locks of their own; threads from 13 on meet others (Flanagan and Godefroid, POPL 2005).
   EXPLORE: -DN=20 -> executions=128 options=--no-races
 */
#include <pthread.h>
#include <stdint.h>
#ifndef N
#define N 14
#endif
#define BLOCKS 26
#define INODES 32
static pthread_mutex_t lock_inode[INODES];
static pthread_mutex_t lock_block[BLOCKS];
static int inode[INODES];
static int busy[BLOCKS];
static void* Work(void* argument) {
  int i = (int)(intptr_t)argument % INODES;
  pthread_mutex_lock(&lock_inode[i]);
  if (inode[i] == 0) {
    int b = i * 2 % BLOCKS;
    for (;;) {
      pthread_mutex_lock(&lock_block[b]);
      if (!busy[b]) {
        busy[b] = 1;
        inode[i] = b + 1;
        pthread_mutex_unlock(&lock_block[b]);
        break;
      }
      pthread_mutex_unlock(&lock_block[b]);
      b = (b + 1) % BLOCKS;
    }
  }
  pthread_mutex_unlock(&lock_inode[i]);
  return 0;
}
int main(void) {
  pthread_t threads[N];
  for (intptr_t i = 0; i < N; ++i) pthread_create(&threads[i], 0, Work, (void*)i);
  for (int i = 0; i < N; ++i) pthread_join(threads[i], 0);
  return 0;
}
