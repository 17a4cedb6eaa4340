// Each thread of the loop has an element of its own; here it also writes the next one.
#include <pthread.h>
#define COUNT 4
struct cell {
  int value, sum;
};
struct cell cells[COUNT + 1];
static void* work(void* mine) {
  struct cell* cell = mine;
  cell->sum = 1;  //@ A
#ifdef FIXED
  cell->value++;
#else
  cell[1].sum++;  //@ B
#endif
  return 0;
}
int main(void) {
  pthread_t threads[COUNT];
  for (int i = 0; i < COUNT; ++i) pthread_create(&threads[i], 0, work, &cells[i]);
  for (int i = 0; i < COUNT; ++i) pthread_join(threads[i], 0);
  return cells[0].value;
}
// expect: cells[*].sum A-B
