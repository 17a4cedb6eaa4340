#include "csp/large_stack.h"

#include <pthread.h>

#include "csp/csp.h"

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef HEDDLE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace heddle::csp {
namespace {

// Where the large stack of this thread begins; null on other threads.
thread_local const char* g_stack_top = nullptr;

void* RunBody(void* body) {
  g_stack_top = static_cast<const char*>(__builtin_frame_address(0));
  (*static_cast<const std::function<void()>*>(body))();
  return nullptr;
}

}  // namespace

void AboutToThrow() {
#ifdef HEDDLE_ADDRESS_SANITIZER
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  if (g_stack_top != nullptr) ASAN_UNPOISON_MEMORY_REGION(here, static_cast<size_t>(g_stack_top - here));
#endif
}

void RunOnLargeStack(const std::function<void()>& body) {
  if (g_stack_top != nullptr) return body();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                 pthread_create(&thread, &attributes, RunBody, const_cast<std::function<void()>*>(&body)) == 0;
  pthread_attr_destroy(&attributes);
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    body();  // no room for a large stack: deep recursion may then fail earlier
  }
}

}  // namespace heddle::csp
