/* pthread_create that fails: the thread never was. */
#include <pthread.h>
#include <sched.h>

#include "check.h"

static void* Nothing(void* argument) { return argument; }

int main(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  cpu_set_t none;
  CPU_ZERO(&none);
  pthread_attr_init(&attributes);
  CHECK(pthread_attr_setaffinity_np(&attributes, sizeof none, &none) == 0);
  CHECK(pthread_create(&thread, &attributes, Nothing, NULL) != 0);
  CHECK(pthread_create(&thread, NULL, Nothing, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  puts("done");
  return 0;
}
