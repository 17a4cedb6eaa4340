// Static objects that lock in their constructors and destructors, also function-local ones used by two threads.
#include <mutex>
#include <thread>

#include "check.h"

struct Registry {
  std::mutex mutex;
  int count = 0;
  Registry() { Add(); }
  ~Registry() {
    Add();
    std::printf("%d\n", count);
  }
  void Add() {
    std::lock_guard<std::mutex> hold(mutex);
    ++count;
  }
};

static Registry registry;

static Registry& Local() {
  static Registry local;
  return local;
}

int main() {
  std::thread other([] { Local().Add(); });
  Local().Add();
  other.join();
  std::puts("main");
}
