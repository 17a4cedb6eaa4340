// Two threads sort a half each and count what they did under locks.
// EXPLORE: -> executions=26
// EXPLORE: -> executions=1 options=--goal,race
// EXPLORE: -DBUG -> findings=data-race
// EXPLORE: -DBUG -> findings=data-race options=--goal,race
#include <pthread.h>
#include <stdlib.h>
#define HALF 8

static pthread_mutex_t swaps_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sorted_lock = PTHREAD_MUTEX_INITIALIZER;
static int values[2 * HALF] = {5, 2, 7, 1, 8, 3, 6, 4, 15, 12, 17, 11, 18, 13, 16, 14};
static int swaps;
static int sorted;

static int sort(int from, int to) {
  if (to - from < 2) return 0;
  int pivot = values[to - 1];
  int last = from;
  int count = 0;
  for (int i = from; i < to; ++i) {
    if (i < to - 1 && values[i] > pivot) continue;
    int kept = values[last];
    values[last] = values[i];
    values[i] = kept;
    ++last;
    ++count;
  }
  return count + sort(from, last - 1) + sort(last, to);
}

static void count(int by) {
  pthread_mutex_lock(&swaps_lock);
  swaps += by;
  pthread_mutex_unlock(&swaps_lock);
  pthread_mutex_lock(&sorted_lock);
  sorted += 1;
  pthread_mutex_unlock(&sorted_lock);
}

static void *sort_half(void *argument) {
  int from = (int)(long)argument;
#ifdef BUG
  int to = from + HALF + (from == 0 ? 1 : 0);  // one too far
#else
  int to = from + HALF;
#endif
  int middle = from + HALF / 2;
  count(sort(from, middle) + sort(middle, to));
  count(sort(from, to));
  return NULL;
}

int main(void) {
  pthread_t left;
  pthread_t right;
  pthread_create(&left, NULL, sort_half, (void *)0L);
  pthread_create(&right, NULL, sort_half, (void *)(long)HALF);
  pthread_join(left, NULL);
  pthread_join(right, NULL);
  return sorted == 4 ? 0 : 1;
}
