// A region without checks that does not end.
#include <pthread.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
}
static void* Work(void*) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
#ifndef BUG
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
  return nullptr;
}
int main() {
  pthread_t t;
  pthread_create(&t, nullptr, Work, nullptr);
  pthread_join(t, nullptr);
}
