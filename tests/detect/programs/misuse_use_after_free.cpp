// Freed by one thread, used by another one later: ordered, and wrong all the same.
#include <pthread.h>
#include <stdlib.h>
struct Node {
  int value;
  int more[5];
};
Node* node;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* Work(void*) {
  pthread_mutex_lock(&m);
  free(node);
#ifndef BUG
  node = nullptr;
#endif
  pthread_mutex_unlock(&m);
  return nullptr;
}
int main() {
  node = static_cast<Node*>(calloc(1, sizeof(Node)));
  pthread_t t;
  pthread_create(&t, nullptr, Work, nullptr);
  pthread_join(t, nullptr);
  pthread_mutex_lock(&m);
  if (node != nullptr) node->value = 1;
  pthread_mutex_unlock(&m);
}
