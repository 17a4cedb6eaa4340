// What malloc gives beyond what was asked for belongs to the block too, for a program that asks how much it is. Memory
// that goes from thread to thread through the allocator has no history there.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

static int g_counter;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

// Fills all that malloc gave, and frees it; then smaller blocks have the same memory.
static void Fill(size_t bytes) {
  void* blocks[64];
  for (void*& block : blocks) {
    block = malloc(bytes);
    size_t usable = malloc_usable_size(block);
    if (usable < bytes) abort();
    memset(block, 1, usable);
    if (malloc_usable_size(block) != usable) abort();
  }
  for (void* block : blocks) free(block);
}

static void* Work(void*) {
  for (size_t bytes : {24, 20, 9, 1, 1000, 993, 200000, 199990}) Fill(bytes);
#ifndef BUG
  pthread_mutex_lock(&g_lock);
#endif
  ++g_counter;
#ifndef BUG
  pthread_mutex_unlock(&g_lock);
#endif
  for (size_t bytes : {199990, 17, 1, 993}) Fill(bytes);
  return nullptr;
}

int main() {
  pthread_t threads[3];
  for (pthread_t& thread : threads) pthread_create(&thread, nullptr, Work, nullptr);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  void* large = memalign(256, 100);
  memset(large, 2, malloc_usable_size(large));
  free(large);
}
