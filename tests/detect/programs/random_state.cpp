// State of the random functions that the program keeps itself.
#include <stdlib.h>

#include <thread>

#include "steps.h"
drand48_data common;
static void Draw() {
  drand48_data own;
  double value;
  srand48_r(3, &own);
#ifdef BUG
  drand48_r(&common, &value);
#else
  drand48_r(&own, &value);
#endif
}
int main() {
  srand48_r(1, &common);
  std::thread other([] {
    Draw();
    NextStep();
  });
  WaitStep(1);
  Draw();
  other.join();
}
