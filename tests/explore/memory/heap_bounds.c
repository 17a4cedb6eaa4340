/* Accesses beside a heap block, by one thread alone; the twin stays within.
 * EXPLORE: -DBUG=0 -> findings=none in_place
 * EXPLORE: -DBUG=1 -> findings=misuse says=right.behind.a.heap.block.of.40.bytes in_place
 * EXPLORE: -DBUG=2 -> findings=misuse says=4.bytes.before.a.heap.block
 * EXPLORE: -DBUG=3 -> findings=misuse says=write.of.31.bytes
 * EXPLORE: -DBUG=4 -> findings=misuse says=atomic-write
 * EXPLORE: -DBUG=5 -> findings=misuse
 * EXPLORE: -DBUG=6 -> findings=misuse
 * EXPLORE: -DBUG=7 -> findings=misuse
 * EXPLORE: -DBUG=8 -> findings=misuse
 * EXPLORE: -DBUG=1 -> options=--memory,c11 findings=misuse
 * EXPLORE: -DBUG=1 -> options=--visible,all findings=misuse
 * EXPLORE: -DBUG=0 -> options=--visible,all findings=none */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static atomic_int g_sum;
static void Keep(void* block) { __asm__ volatile("" ::"r"(block) : "memory"); }
static void* Work(void* unused) {
  volatile int* ints = malloc(10 * sizeof(int));
  for (int i = 0; i < (BUG == 1 ? 11 : 10); ++i) ints[i] = i;
  g_sum += ints[BUG == 2 ? -1 : 0];
  char* text = malloc(30);
  memset(text, 1, BUG == 3 ? 31 : 30);
  Keep(text);
  atomic_int* atomics = calloc(4, sizeof(int));
  Keep(atomics);
  atomic_store(&atomics[BUG == 4 ? 4 : 3], 1);
  char* copied = malloc(5);
  strcpy(copied, BUG == 5 ? "hello" : "hell");
  Keep(copied);
  volatile char* aligned = NULL;
  if (posix_memalign((void**)&aligned, 256, 100) != 0) abort();
  aligned[BUG == 6 ? 100 : 99] = 1;
  aligned[0] = 1;
  volatile char* grown = realloc(malloc(20), 50);
  grown[BUG == 7 ? 50 : 49] = 1;
  volatile char* none = malloc(0);
  if (BUG == 8) none[0] = 1;
  free((void*)none);
  free((void*)grown);
  free((void*)aligned);
  free(copied);
  free(atomics);
  free(text);
  free((void*)ints);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, Work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
