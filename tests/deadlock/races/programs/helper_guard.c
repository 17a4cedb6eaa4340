// A helper is called with the lock of the object held; one caller forgets it.
#include <pthread.h>
#include <stdlib.h>
struct box {
  pthread_mutex_t lock;
  int value;
};
static struct box* boxes[2];
__attribute__((noinline)) static void change(struct box* box) {
  box->value++;  //@ A
}
static void locked(struct box* box) {
  pthread_mutex_lock(&box->lock);
  change(box);
  pthread_mutex_unlock(&box->lock);
}
static void* first(void* x) {
  for (int i = 0; i < 2; ++i) locked(boxes[i]);
  return x;
}
static void* second(void* x) {
#ifdef FIXED
  for (int i = 0; i < 2; ++i) locked(boxes[i]);
#else
  for (int i = 0; i < 2; ++i) change(boxes[i]);
#endif
  return x;
}
int main(void) {
  for (int i = 0; i < 2; ++i) {
    struct box* made = calloc(1, sizeof(struct box));
    pthread_mutex_init(&made->lock, 0);
    boxes[i] = made;
  }
  pthread_t one, two;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
// expect: made->value A-A
