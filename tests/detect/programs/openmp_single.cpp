// A program that calls nothing of OpenMP's library by itself: all that its code needs is in heddle's runtime too, so
// that a linker with
// --as-needed leaves the library out. The bug: the copy is not private.
int main() {
  int value = 0;
  int wrong = 0;
#ifdef BUG
#pragma omp parallel num_threads(3)
  value += 1;
#else
#pragma omp parallel num_threads(3) firstprivate(value) reduction(+ : wrong)
  {
#pragma omp single copyprivate(value)
    value = 1;
    wrong += value == 1 ? 0 : 1;
  }
#endif
  return wrong == 0 ? 0 : 2;
}
