// Small shapes of atomics whose outcome the memory model leaves open, or does not. The first thread runs its half of a
// shape on many fresh pairs of locations, then the second its own; without weak behaviours the second always sees all
// that the first did. Prints the outcomes that came. usage: litmus SHAPE
#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "../programs/steps.h"

namespace {

constexpr int kPairs = 400;
constexpr auto kRlx = std::memory_order_relaxed;
constexpr auto kAcq = std::memory_order_acquire;
constexpr auto kRel = std::memory_order_release;
constexpr auto kSc = std::memory_order_seq_cst;

struct Pair {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
};
Pair pairs[kPairs];
std::set<std::string> outcomes;  // the second thread's alone

std::string Two(int a, int b) { return std::to_string(a) + std::to_string(b); }

struct Shape {
  const char* name;
  void (*first)(Pair& pair);
  std::string (*second)(Pair& pair);
};

void StoreBoth(Pair& p, std::memory_order order) {
  p.x.store(1, kRlx);
  p.y.store(1, order);
}
std::string LoadBoth(Pair& p, std::memory_order order) {
  int y = p.y.load(order);
  return Two(y, p.x.load(kRlx));
}

const Shape kShapes[] = {
    // Store buffering: the second thread's half; the first has read 0.
    {"sb_relaxed", [](Pair& p) { p.x.store(1, kRlx); },
     [](Pair& p) { p.y.store(1, kRlx); return std::to_string(p.x.load(kRlx)); }},
    {"sb_acquire", [](Pair& p) { p.x.store(1, kRel); },
     [](Pair& p) { p.y.store(1, kRel); return std::to_string(p.x.load(kAcq)); }},
    {"sb_seq_cst", [](Pair& p) { p.x.store(1, kSc); },
     [](Pair& p) { p.y.store(1, kSc); return std::to_string(p.x.load(kSc)); }},
    {"sb_fences",
     [](Pair& p) { p.x.store(1, kRlx); std::atomic_thread_fence(kSc); },
     [](Pair& p) { p.y.store(1, kRlx); std::atomic_thread_fence(kSc); return std::to_string(p.x.load(kRlx)); }},
    {"sb_one_fence", [](Pair& p) { p.x.store(1, kRlx); },
     [](Pair& p) { p.y.store(1, kRlx); std::atomic_thread_fence(kSc); return std::to_string(p.x.load(kRlx)); }},
    // A fence after the write and a seq_cst read; a seq_cst write and a fence before the read.
    {"fence_then_read",
     [](Pair& p) { p.x.store(1, kRlx); std::atomic_thread_fence(kSc); },
     [](Pair& p) { return std::to_string(p.x.load(kSc)); }},
    {"no_fence_then_read", [](Pair& p) { p.x.store(1, kRlx); }, [](Pair& p) { return std::to_string(p.x.load(kSc)); }},
    {"write_then_fence", [](Pair& p) { p.x.store(1, kSc); },
     [](Pair& p) { std::atomic_thread_fence(kSc); return std::to_string(p.x.load(kRlx)); }},
    {"write_no_fence", [](Pair& p) { p.x.store(1, kSc); }, [](Pair& p) { return std::to_string(p.x.load(kRlx)); }},
    // Message passing.
    {"mp_relaxed", [](Pair& p) { StoreBoth(p, kRlx); }, [](Pair& p) { return LoadBoth(p, kRlx); }},
    {"mp_release", [](Pair& p) { StoreBoth(p, kRel); }, [](Pair& p) { return LoadBoth(p, kAcq); }},
    {"mp_release_relaxed", [](Pair& p) { StoreBoth(p, kRel); }, [](Pair& p) { return LoadBoth(p, kRlx); }},
    // Coherence: reads of one location never go back; a thread reads its own store; an update reads the latest.
    {"read_read", [](Pair& p) { p.x.store(1, kRlx); },
     [](Pair& p) { int a = p.x.load(kRlx); return Two(a, p.x.load(kRlx)); }},
    {"own_write", [](Pair& p) { p.x.store(1, kRlx); },
     [](Pair& p) { p.x.store(2, kRlx); return std::to_string(p.x.load(kRlx)); }},
    {"update", [](Pair& p) { p.x.store(1, kRlx); }, [](Pair& p) { return std::to_string(p.x.fetch_add(1, kRlx)); }},
    {"three_stores",
     [](Pair& p) { for (int i = 1; i <= 3; ++i) p.x.store(i, kRlx); },
     [](Pair& p) { return std::to_string(p.x.load(kRlx)); }},
};

}  // namespace

int main(int, char** argv) {
  for (const Shape& shape : kShapes) {
    if (std::strcmp(shape.name, argv[1]) != 0) continue;
    std::thread first([&] {
      for (Pair& pair : pairs) shape.first(pair);
      NextStep();
    });
    std::thread second([&] {
      WaitStep(1);
      for (Pair& pair : pairs) outcomes.insert(shape.second(pair));
    });
    first.join();
    second.join();
    for (const std::string& outcome : outcomes) std::printf("%s ", outcome.c_str());
    std::puts("");
    return 0;
  }
  return 2;
}
