// The lock in the handler is one of many that may be the one that is held.
// expect: signal A-B
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
struct node {
  struct node *next;
  pthread_mutex_t lock;
  int value;
};
struct node *list;
void on_signal(int n) {
  struct node *first = list;
  pthread_mutex_lock(&first->lock);  //@ B
  first->value++;
  pthread_mutex_unlock(&first->lock);
}
int main() {
  for (int i = 0; i < 4; i++) {
    struct node *node = malloc(sizeof *node);
    pthread_mutex_init(&node->lock, 0);
    node->value = 0;
    node->next = list;
    list = node;
  }
  signal(SIGUSR1, on_signal);
  for (struct node *node = list; node != 0; node = node->next) {
    pthread_mutex_lock(&node->lock);  //@ A
    node->value++;
    pthread_mutex_unlock(&node->lock);
  }
}
