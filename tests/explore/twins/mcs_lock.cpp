// The queue lock of Mellor-Crummey and Scott; the twin leaves without looking for a successor under way.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=livelock
#include <atomic>
#include <thread>
struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> waits{false};
};
std::atomic<Node*> tail{nullptr};
int shared;
void Work(Node* me) {
  Node* before = tail.exchange(me);
  if (before != nullptr) {
    me->waits.store(true);
    before->next.store(me);
    while (me->waits.load()) {
    }
  }
  ++shared;
  if (me->next.load() == nullptr) {
    Node* expected = me;
#ifdef BUG
    tail.compare_exchange_strong(expected, nullptr);
    return;
#else
    if (tail.compare_exchange_strong(expected, nullptr)) return;
    while (me->next.load() == nullptr) {
    }
#endif
  }
  me->next.load()->waits.store(false);
}
int main() {
  Node nodes[2];
  std::thread a(Work, &nodes[0]), b(Work, &nodes[1]);
  a.join();
  b.join();
}
