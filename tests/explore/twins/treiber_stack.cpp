// A lock-free stack of nodes that are never freed; the twin pops without a compare-and-swap.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
// EXPLORE: -> options=--memory,c11
// EXPLORE: -DBUG -> options=--memory,c11 findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
struct Node {
  int value = 0;
  Node* next = nullptr;
};
std::atomic<Node*> head{nullptr};
void Push(Node* node) {
  Node* top = head.load();
  do {
    node->next = top;
  } while (!head.compare_exchange_strong(top, node));
}
Node* Pop() {
  Node* top = head.load();
#ifdef BUG
  if (top != nullptr) head.store(top->next);
#else
  while (top != nullptr && !head.compare_exchange_strong(top, top->next)) {
  }
#endif
  return top;
}
int main() {
  Node nodes[2];
  Push(&nodes[0]);
  Push(&nodes[1]);
  Node* got[2];
  std::thread a([&] { got[0] = Pop(); });
  std::thread b([&] { got[1] = Pop(); });
  a.join();
  b.join();
  assert(got[0] != got[1]);
}
