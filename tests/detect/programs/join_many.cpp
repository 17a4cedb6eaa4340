// Threads that are made and joined by several threads at once: libc gives their handles to new ones all the time.
#include <pthread.h>

#include <thread>
#include <vector>

static int shared;

static void* Leaf(void* value) {
  ++*static_cast<int*>(value);
  return nullptr;
}

static void Work(bool ends) {
  for (int i = 0; i < 10; ++i) {
    pthread_t threads[2];
    int values[2] = {0, 0};
    for (int k = 0; k < 2; ++k) pthread_create(&threads[k], nullptr, Leaf, &values[k]);
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    if (values[0] + values[1] != 2) __builtin_trap();
  }
#ifdef BUG
  if (ends) ++shared;
#endif
  (void)ends;
}

int main() {
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) workers.emplace_back(Work, i < 2);
  for (std::thread& worker : workers) worker.join();
  return shared > 2 ? 2 : 0;
}
