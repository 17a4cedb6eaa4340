/* Publishing by pointer, and freeing when the reader has said that it is through.
   EXPLORE: -> options=--memory,c11
   EXPLORE: -DBUG -> options=--memory,c11 findings=data-race
   EXPLORE: -DLATE -> options=--memory,c11 findings=data-race
   EXPLORE: -DBUG -> options=--visible,atomics findings=data-race
 */
#include <atomic>
#include <thread>

struct Node {
  int value;
};
Node first{1};
Node second{2};
std::atomic<Node*> current{&first};
std::atomic<int> reading{0};

#ifdef BUG
constexpr auto kPublish = std::memory_order_relaxed;
#else
constexpr auto kPublish = std::memory_order_release;
#endif
#ifdef LATE
constexpr auto kLeave = std::memory_order_relaxed;
#else
constexpr auto kLeave = std::memory_order_release;
#endif

static void Read() {
  reading.store(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Node* node = current.load(std::memory_order_acquire);
  volatile int seen = node->value;
  (void)seen;
  reading.store(0, kLeave);
}

static void Replace() {
  second.value = 3;
  current.store(&second, kPublish);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (reading.load(std::memory_order_acquire) == 0) first.value = -1;
}

int main() {
  std::thread reader(Read), writer(Replace);
  reader.join();
  writer.join();
}
