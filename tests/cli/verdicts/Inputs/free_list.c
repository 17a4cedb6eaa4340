// Correct: a node's `next` is set when it is put on the list, and read only of nodes on the list. In another order main
// takes the other node, so that what it reads was set all the same. SHARED: both ends use one node, which main may read
// before the other thread has set it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct Node {
  struct Node* next;
};

static struct Node* head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* Put(void* argument) {
  struct Node* node = argument;
  pthread_mutex_lock(&m);
  node->next = head;
  head = node;
  pthread_mutex_unlock(&m);
  return 0;
}

static void* PutToo(void* argument) { return Put(argument); }

int main(void) {
  struct Node* first = malloc(sizeof *first);
  struct Node* second = malloc(sizeof *second);
  pthread_t thread;
  pthread_create(&thread, 0, Put, first);
  pthread_join(thread, 0);
  pthread_create(&thread, 0, PutToo, second);
  usleep(1000);
  pthread_mutex_lock(&m);
#ifdef SHARED
  struct Node* taken = second;
#else
  struct Node* taken = head;
#endif
  if (taken) head = taken->next;
  pthread_mutex_unlock(&m);
  pthread_join(thread, 0);
  return 0;
}
