// The queue lock of Mellor-Crummey and Scott. With the bug a thread that finds the queue empty does not acquire what the
// last owner released there.
#include <atomic>

#include "start.h"

#ifdef BUG
constexpr auto kEnter = std::memory_order_release;
#else
constexpr auto kEnter = std::memory_order_acq_rel;
#endif

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> waits{false};
};

class McsLock {
 public:
  void Lock(Node* me) {
    me->next.store(nullptr, std::memory_order_relaxed);
    me->waits.store(true, std::memory_order_relaxed);
    Node* before = last_.exchange(me, kEnter);
    if (before == nullptr) return;
    before->next.store(me, std::memory_order_release);
    while (me->waits.load(std::memory_order_acquire)) sched_yield();
  }

  void Unlock(Node* me) {
    Node* next = me->next.load(std::memory_order_acquire);
    if (next == nullptr) {
      Node* last = me;
      if (last_.compare_exchange_strong(last, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
      while ((next = me->next.load(std::memory_order_acquire)) == nullptr) sched_yield();
    }
    next->waits.store(false, std::memory_order_release);
  }

 private:
  std::atomic<Node*> last_{nullptr};
};

McsLock lock;
Node nodes[2];
int shared_value;

void Body(int me) {
  Await(me);
  for (int i = 0; i < 2; ++i) {
    lock.Lock(&nodes[me]);
    shared_value++;
    lock.Unlock(&nodes[me]);
  }
  Reached();
}

int main(int argc, char** argv) {
  RunThreads(argc, argv, [] { Body(0); }, [] { Body(1); });
}
