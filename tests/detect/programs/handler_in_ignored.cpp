// Handlers that interrupt code whose accesses and order the program asked to ignore: what they do themselves counts, also
// behind a handler that interrupted them.
#include <pthread.h>
#include <signal.h>

extern "C" {
void AnnotateIgnoreSyncBegin(const char*, int);
void AnnotateIgnoreSyncEnd(const char*, int);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}
static int data, ready;
#ifdef BUG
static constexpr int kOrder = __ATOMIC_RELAXED;
#else
static constexpr int kOrder = __ATOMIC_RELEASE;
#endif
static void Inner(int) {}
static void Outer(int) {
  raise(SIGUSR2);
  data = 1;
  __atomic_store_n(&ready, 1, kOrder);
}
static void* Raise(void*) {
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  raise(SIGUSR1);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  return nullptr;
}
int main() {
  signal(SIGUSR1, Outer);
  signal(SIGUSR2, Inner);
  pthread_t t;
  pthread_create(&t, nullptr, Raise, nullptr);
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) == 0) {
  }
  int read = data;
  pthread_join(t, nullptr);
  return read - 1;
}
