// Loops, reductions, critical sections, tasks of OpenMP. The bug: a sum without a reduction.
#include <cstdio>

int main() {
  long sum = 0;
  int values[256];
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 256; ++i) values[i] = i;
#ifdef BUG
#pragma omp parallel for num_threads(3)
#else
#pragma omp parallel for num_threads(3) reduction(+ : sum)
#endif
  for (int i = 0; i < 256; ++i) sum += values[i];
  int count = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    ++count;
#pragma omp barrier
#pragma omp single
    count += 10;
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(count)
    ++count;
#pragma omp taskwait
    ++count;
  }
  return count == 15 ? 0 : 2;
}
