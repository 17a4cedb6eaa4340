// What OpenMP orders without a barrier: iterations that wait for each other, tasks with reductions, of a taskloop, with
// dependences on all that came before, and tasks that end by an event. The bug: an iteration does not wait for the one
// that it reads from.
#include <omp.h>

#include <cstdio>

namespace {

constexpr int kCount = 40;
int g_chain[kCount];

void Chain() {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
  for (int i = 1; i < kCount; ++i) {
#ifndef BUG
#pragma omp ordered depend(sink : i - 1)
#endif
    g_chain[i] = g_chain[i - 1] + 1;
#pragma omp ordered depend(source)
  }
}

int Reduced() {
  int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  return sum;
}

int Looped() {
  int values[kCount];
  int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int& value : values) value = 1;
#pragma omp taskloop grainsize(1) shared(values)
    for (int i = 0; i < kCount; ++i) values[i] += i;
    for (int value : values) sum += value;
  }
  return sum;
}

// More dependences than the runtime keeps of one task.
int Dependent() {
  int v[20] = {};
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(out : v[i]) firstprivate(i) shared(v)
      v[i] = i;
    }
#pragma omp task shared(v) depend(inout : v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]) \
    depend(inout : v[10], v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19])
    for (int i = 1; i < 20; ++i) v[0] += v[i];
#pragma omp task shared(v) depend(in : v[19])
    v[0] += v[19];
  }
  return v[0];
}

int Detached() {
  int value = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    omp_event_handle_t over;
#pragma omp task detach(over) shared(value)
    {
      value = 1;
      omp_fulfill_event(over);
    }
#pragma omp taskwait
    ++value;
  }
  return value;
}

}  // namespace

int main() {
  Chain();
  int reduced = Reduced();
  int looped = Looped();
  int dependent = Dependent();
  int detached = Detached();
  std::printf("%d %d %d %d %d\n", g_chain[kCount - 1], reduced, looped, dependent, detached);
#ifdef BUG
  return 0;
#else
  bool right =
      g_chain[kCount - 1] == kCount - 1 && reduced == 780 && looped == 820 && dependent == 209 && detached == 2;
  return right ? 0 : 2;
#endif
}
