// A condition variable is destroyed while the signal may still be under way: it must be sent before the unlock.
#include <pthread.h>

struct Box {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
  bool done = false;
};

static void* Finish(void* value) {
  auto* box = static_cast<Box*>(value);
  pthread_mutex_lock(&box->mutex);
  box->done = true;
#ifndef BUG
  pthread_cond_signal(&box->cond);
#endif
  pthread_mutex_unlock(&box->mutex);
#ifdef BUG
  pthread_cond_signal(&box->cond);
#endif
  return nullptr;
}

int main() {
  static Box box;
  pthread_t thread;
  pthread_create(&thread, nullptr, Finish, &box);
  pthread_mutex_lock(&box.mutex);
  while (!box.done) pthread_cond_wait(&box.cond, &box.mutex);
  pthread_mutex_unlock(&box.mutex);
  pthread_cond_destroy(&box.cond);
  pthread_join(thread, nullptr);
}
