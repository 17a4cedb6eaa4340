/* The uplink of a rover. The watcher may cancel the transmission at any time; the sender then must not go on. */
#include <pthread.h>

static const char* volatile header;
static int buffer;
static int cancelled;
static pthread_mutex_t uplink = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void open_connection(void) { cancelled = 0; }
static __attribute__((noinline)) void close_connection(void) { buffer = 0; }
static __attribute__((noinline)) void cancel_transmission(void) { cancelled = 1; }
static __attribute__((noinline)) void write_buffer(int data) { buffer = data; }
static __attribute__((noinline)) void commit_buffer(void) { ++buffer; }
static __attribute__((noinline)) void acknowledge(void) { --buffer; }

static void* watcher(void* unused) {
  pthread_mutex_lock(&uplink);
  cancel_transmission();
  pthread_mutex_unlock(&uplink);
  return unused;
}

static void send(int data) {
  header = "data";
  write_buffer(data);
  commit_buffer();
  acknowledge();
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&uplink);
  open_connection();
  pthread_mutex_unlock(&uplink);
#ifdef FIXED
  pthread_mutex_lock(&uplink);
  send(7);
  pthread_mutex_unlock(&uplink);
  pthread_create(&thread, 0, watcher, 0);
  pthread_join(thread, 0);
#else
  pthread_create(&thread, 0, watcher, 0);
  pthread_mutex_lock(&uplink);
  send(7);
  pthread_mutex_unlock(&uplink);
  pthread_join(thread, 0);
#endif
  return 0;
}
