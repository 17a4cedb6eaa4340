// Correct, of a fixed size, and far too much for a few seconds: two threads take turns with a lock over a table, in an
// order that no two neighbours follow each other. The trace has 24 million accesses.
#include <pthread.h>

enum { kWords = 1 << 20, kRounds = 12, kStep = 514229 };
static long g_words[kWords];
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

static void* Work(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&g_lock);
    for (unsigned i = 0, at = 0; i < kWords; ++i, at = (at + kStep) % kWords) g_words[at] += round;
    pthread_mutex_unlock(&g_lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, Work, NULL) != 0) return 1;
  Work(NULL);
  pthread_join(thread, NULL);
  return 0;
}
