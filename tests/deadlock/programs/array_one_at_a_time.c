// One element at a time, by a hash.
// expect: none
#include <pthread.h>
struct bucket { pthread_mutex_t lock; int n; } table[64];
void *work(void *arg) {
  for (unsigned i = 0; i < 1000; i++) {
    struct bucket *b = &table[i * 2654435761u % 64];
    pthread_mutex_lock(&b->lock);
    b->n++;
    pthread_mutex_unlock(&b->lock);
  }
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
