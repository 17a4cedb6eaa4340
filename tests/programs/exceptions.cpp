// Exceptions through frames that hold locks, out of threads' functions and out of a function-local static.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "check.h"

static std::mutex outer;
static std::mutex inner;

__attribute__((noinline)) static void Throw(int depth) {
  std::lock_guard<std::mutex> hold(depth == 1 ? outer : inner);
  if (depth == 0) throw std::runtime_error("down");
  Throw(depth - 1);
}

struct Fussy {
  explicit Fussy(int turn) {
    if (turn == 0) throw 1;
  }
};

static void Local(int turn) { static Fussy fussy(turn); }

static void Work() {
  for (int i = 0; i < 2; ++i) {
    try {
      Throw(1);
      CHECK(false);
    } catch (const std::exception& error) {
      std::puts(error.what());
    }
  }
}

int main() {
  std::thread(Work).join();
  for (int i = 0; i < 3; ++i) {
    try {
      Local(i);
    } catch (int) {
      std::puts("again");
    }
  }
}
