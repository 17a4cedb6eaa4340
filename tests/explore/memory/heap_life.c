/* Blocks that are used after their end, or ended wrongly; the twin does it in order.
 * EXPLORE: -DBUG=0 -> findings=none in_place
 * EXPLORE: -DBUG=1 -> findings=misuse says=used.after.it.was.freed
 * EXPLORE: -DBUG=2 -> findings=misuse says=is.freed.again in_place
 * EXPLORE: -DBUG=3 -> findings=misuse says=no.heap.block.begins
 * EXPLORE: -DBUG=4 -> findings=misuse says=used.after.it.was.freed
 * EXPLORE: -DBUG=5 -> findings=misuse says=used.after.it.was.freed
 * EXPLORE: -DBUG=6 -> findings=data-race
 * EXPLORE: -DBUG=7 -> findings=misuse
 * EXPLORE: -DBUG=2 -> options=--no-races findings=crash
 * EXPLORE: -DBUG=3 -> options=--no-races findings=crash
 * EXPLORE: -DBUG=1 -> options=--goal,race findings=none */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int* volatile g_block;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static void* Work(void* unused) {
  volatile int* block = malloc(40);
  block[3] = 1;
  free((void*)block);
  volatile int* next = malloc(40); /* of the same size: libc's allocator gives the same block */
  next[3] = 2;
  if (BUG == 1) block[3] = 3;
  if (BUG == 2) free((void*)block);
  if (BUG == 3) free((void*)(next + 4));
  free((void*)next);
  volatile char* old = malloc(100);
  old[0] = 1;
  volatile char* grown = realloc((void*)old, 90);
  if (BUG == 4) old[0] = 2;
  grown[0] = 3;
  free((void*)grown);
  volatile char* large = malloc(20000); /* far behind its beginning */
  large[15000] = 1;
  free((void*)large);
  if (BUG == 5) large[15000] = 2;
  /* Two threads free one block: nothing orders them; under a lock something does. */
  if (BUG == 6) free(g_block);
  pthread_mutex_lock(&g_lock);
  if (BUG == 7 || (BUG != 6 && g_block != NULL)) free(g_block);
  if (BUG != 6 && BUG != 7) g_block = NULL;
  pthread_mutex_unlock(&g_lock);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  if (BUG == 6 || BUG == 7 || BUG == 0) g_block = malloc(8);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
