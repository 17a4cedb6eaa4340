/* A manager of two resources that exclude each other. It forgets the conflict: it grants a resource that is free. */
#include <pthread.h>

typedef struct {
  int taken;
} resource;

static resource antenna, camera;
static pthread_mutex_t manager = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void conflict(resource* one, resource* other) { one->taken = other->taken = 0; }

static __attribute__((noinline)) int request(resource* wanted) {
#ifdef FIXED
  if (antenna.taken || camera.taken) return 0;
#else
  if (wanted->taken) return 0;
#endif
  wanted->taken = 1;
  return 1;
}

static __attribute__((noinline)) void cancel(resource* held) { held->taken = 0; }
static __attribute__((noinline)) void rescind(resource* held) { held->taken = 1; }

static void use(resource* wanted) {
  pthread_mutex_lock(&manager);
  int granted = request(wanted);
  pthread_mutex_unlock(&manager);
  if (!granted) return;
  pthread_mutex_lock(&manager);
  rescind(wanted);
  cancel(wanted);
  pthread_mutex_unlock(&manager);
}

static void* worker(void* unused) {
  use(&camera);
  return unused;
}

int main(void) {
  pthread_t thread;
  conflict(&antenna, &camera);
  pthread_create(&thread, 0, worker, 0);
  use(&antenna);
  pthread_join(thread, 0);
  return 0;
}
