// Cells of a grid, ordered by column in one place and by address in the other.
// expect: class A-B
#include <pthread.h>
#include <stdlib.h>
enum { kRows = 4, kColumns = 8 };
struct cell {
  pthread_mutex_t lock;
  long sum;
} grid[kRows][kColumns];
void move(unsigned row, unsigned column, unsigned other_row, unsigned other_column) {
  if (column % kColumns >= other_column % kColumns) return;
  pthread_mutex_lock(&grid[row % kRows][column % kColumns].lock);              //@ A
  pthread_mutex_lock(&grid[other_row % kRows][other_column % kColumns].lock);  //@ B
  grid[row % kRows][column % kColumns].sum--;
  pthread_mutex_unlock(&grid[other_row % kRows][other_column % kColumns].lock);
  pthread_mutex_unlock(&grid[row % kRows][column % kColumns].lock);
}
void sorted(struct cell *a, struct cell *b) {
  struct cell *first = a < b ? a : b, *second = a < b ? b : a;
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  first->sum--;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}
void *run(void *arg) {
  for (int i = 0; i < 100; i++) {
    move(rand(), rand(), rand(), rand());
    sorted(&grid[rand() % kRows][rand() % kColumns], &grid[rand() % kRows][rand() % kColumns]);
  }
  return 0;
}
int main() {
  pthread_t threads[4];
  for (int i = 0; i < kRows * kColumns; i++) pthread_mutex_init(&grid[i / kColumns][i % kColumns].lock, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}
