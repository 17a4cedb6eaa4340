// The queue of Michael and Scott, without reuse of nodes. With the bug a node is linked without releasing its value.
#include <atomic>

#include "start.h"

#ifdef BUG
constexpr auto kLink = std::memory_order_acquire;
#else
constexpr auto kLink = std::memory_order_release;
#endif

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

class Queue {
 public:
  explicit Queue(Node* first) : head_(first), tail_(first) {}

  void Put(Node* node, int value) {
    node->value = value;
    for (;;) {
      Node* tail = tail_.load(std::memory_order_acquire);
      Node* next = nullptr;
      if (tail->next.compare_exchange_strong(next, node, kLink, std::memory_order_acquire)) {
        Move(&tail_, tail, node);
        return;
      }
      Move(&tail_, tail, next);
    }
  }

  bool Get(int* value) {
    for (;;) {
      Node* head = head_.load(std::memory_order_acquire);
      Node* tail = tail_.load(std::memory_order_relaxed);
      Node* next = head->next.load(std::memory_order_acquire);
      if (next == nullptr) return false;
      if (head == tail) Move(&tail_, tail, next);
      int found = next->value;
      if (!Move(&head_, head, next)) continue;
      *value = found;
      return true;
    }
  }

 private:
  static bool Move(std::atomic<Node*>* place, Node* from, Node* to) {
    return place->compare_exchange_strong(from, to, std::memory_order_release, std::memory_order_relaxed);
  }

  std::atomic<Node*> head_;
  std::atomic<Node*> tail_;
};

Node first_node;
Node nodes[2][2];
Queue queue(&first_node);
int sums[2];

void Put(int me) {
  for (int i = 0; i < 2; ++i) queue.Put(&nodes[me][i], i + 1);
}
void Get(int me) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    if (queue.Get(&value)) sums[me] += value;
  }
}

void First() {
  Put(0);
  Reached();
}
void Second() {
  Await(1);
  Get(1);
  Put(1);
}

int main(int argc, char** argv) { RunThreads(argc, argv, First, Second); }
