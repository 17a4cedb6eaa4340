/* A sequence lock after Boehm ("Can seqlocks get along with programming language memory models?", 2012): the reader's
   second look needs an acquire fence before it, the writer a release fence behind its first step.
   EXPLORE: -> options=--memory,c11
   EXPLORE: -DBUG -> options=--memory,c11 findings=assertion
   EXPLORE: -DBUG -> findings=none
 */
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<unsigned> sequence;
std::atomic<int> left, right;

static void Write() {
  sequence.store(1, std::memory_order_relaxed);
#ifndef BUG
  std::atomic_thread_fence(std::memory_order_release);
#endif
  left.store(1, std::memory_order_relaxed);
  right.store(1, std::memory_order_relaxed);
  sequence.store(2, std::memory_order_release);
}

static void Read() {
  unsigned before = sequence.load(std::memory_order_acquire);
  if (before % 2 != 0) return;
  int l = left.load(std::memory_order_relaxed);
  int r = right.load(std::memory_order_relaxed);
#ifndef BUG
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
  if (sequence.load(std::memory_order_relaxed) == before) assert(l == r);
}

int main() {
  std::thread writer(Write), reader(Read);
  writer.join();
  reader.join();
}
