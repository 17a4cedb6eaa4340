// The queue of Michael and Scott with nodes that are never freed; the twin links without a compare-and-swap.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};
Node nodes[3];
std::atomic<Node*> head{&nodes[0]};
std::atomic<Node*> tail{&nodes[0]};
void Put(Node* node) {
  for (;;) {
    Node* last = tail.load();
    Node* next = last->next.load();
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next);
      continue;
    }
#ifdef BUG
    last->next.store(node);
#else
    if (!last->next.compare_exchange_strong(next, node)) continue;
#endif
    tail.compare_exchange_strong(last, node);
    return;
  }
}
int main() {
  nodes[1].value = 1;
  nodes[2].value = 2;
  std::thread a([] { Put(&nodes[1]); });
  std::thread b([] { Put(&nodes[2]); });
  a.join();
  b.join();
  int count = 0;
  for (Node* node = head.load()->next.load(); node != nullptr; node = node->next.load()) ++count;
  assert(count == 2);
}
