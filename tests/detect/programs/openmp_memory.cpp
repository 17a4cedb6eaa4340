// Memory of OpenMP's library that goes from thread to thread: tasks, copies of a taskloop's task with variables that
// have constructors, blocks of omp_alloc. Each is used again by another thread soon. The bug: a block is written by the
// thread that handed it on.
#include <omp.h>

#include <cstdio>

namespace {

constexpr int kRounds = 60;
constexpr int kCount = 40;

struct Pair {
  explicit Pair(int value) : first(value), second(value) {}
  Pair(const Pair& other) : first(other.first), second(other.second) {}
  int first;
  int second;
};

int Copied(int round) {
  int values[kCount];
  Pair pair(round);
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1) shared(values) firstprivate(pair)
  for (int i = 0; i < kCount; ++i) {
    pair.first += i;
    values[i] = pair.first + pair.second;
  }
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += values[i] == 2 * round + i ? 0 : 1;
  return wrong;
}

int HandedOn() {
  int wrong = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < kCount; ++i) {
    int* block = static_cast<int*>(omp_alloc(64, omp_default_mem_alloc));
    block[0] = i;
#pragma omp task firstprivate(block, i) shared(wrong)
    {
      block[1] = block[0];
      if (block[1] != i) {
#pragma omp atomic
        ++wrong;
      }
#ifndef BUG
      omp_free(block, omp_default_mem_alloc);
#endif
    }
#ifdef BUG
    block[0] = i;
#endif
  }
  return wrong;
}

}  // namespace

int main() {
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) wrong += Copied(round) + HandedOn();
  std::printf("%d\n", wrong);
  return wrong == 0 ? 0 : 2;
}
