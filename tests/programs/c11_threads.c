/* C11: threads, mutexes, condition variables, call_once, thread-specific storage. */
#include <threads.h>
#include <time.h>

#include "check.h"

static mtx_t mutex;
static cnd_t cond;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int ready;
static const struct timespec past = {1, 0};

static void Forget(void* value) {
  mtx_lock(&mutex);
  printf("forget %s\n", (const char*)value);
  mtx_unlock(&mutex);
}

static void Init(void) { CHECK(tss_create(&key, Forget) == thrd_success); }

static int Work(void* argument) {
  (void)argument;
  call_once(&once, Init);
  CHECK(tss_set(key, "it") == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success);
  ready = 1;
  CHECK(cnd_signal(&cond) == thrd_success);
  CHECK(mtx_unlock(&mutex) == thrd_success);
  return 42;
}

static int Quick(void* argument) {
  (void)argument;
  thrd_exit(7);
}

int main(void) {
  thrd_t thread;
  int result = 0;
  CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
  CHECK(cnd_init(&cond) == thrd_success);
  CHECK(mtx_lock(&mutex) == thrd_success);
  CHECK(cnd_timedwait(&cond, &mutex, &past) == thrd_timedout);
  CHECK(thrd_create(&thread, Work, NULL) == thrd_success);
  while (!ready) CHECK(cnd_wait(&cond, &mutex) == thrd_success);
  CHECK(mtx_unlock(&mutex) == thrd_success);
  CHECK(thrd_join(thread, &result) == thrd_success);
  CHECK(result == 42);
  CHECK(thrd_create(&thread, Quick, NULL) == thrd_success);
  CHECK(thrd_join(thread, &result) == thrd_success);
  CHECK(result == 7);
  mtx_t timed;
  CHECK(mtx_init(&timed, mtx_timed | mtx_recursive) == thrd_success);
  CHECK(mtx_timedlock(&timed, &past) == thrd_success);
  CHECK(mtx_trylock(&timed) == thrd_success);
  CHECK(mtx_unlock(&timed) == thrd_success);
  CHECK(mtx_unlock(&timed) == thrd_success);
  mtx_destroy(&timed);
  cnd_destroy(&cond);
  puts("done");
  return 0;
}
