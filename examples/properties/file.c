/* Two threads use one file. The worker is started before the file is open, and nothing makes it wait for that. */
#include <pthread.h>
#include <stdio.h>

typedef struct {
  int open;
  int bytes;
} file_t;

static file_t the_file;

static __attribute__((noinline)) file_t* open_file(void) {
  __atomic_store_n(&the_file.open, 1, __ATOMIC_RELEASE);
  return &the_file;
}

static __attribute__((noinline)) void write_file(file_t* file, int byte) {
  if (__atomic_load_n(&file->open, __ATOMIC_ACQUIRE)) __atomic_store_n(&file->bytes, byte, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void close_file(file_t* file) { __atomic_store_n(&file->open, 0, __ATOMIC_RELEASE); }

static void* worker(void* unused) {
  write_file(&the_file, 42);
  return unused;
}

int main(void) {
  pthread_t thread;
#ifdef FIXED
  file_t* file = open_file();
  pthread_create(&thread, NULL, worker, NULL);
#else
  pthread_create(&thread, NULL, worker, NULL);
  file_t* file = open_file();
#endif
  pthread_join(thread, NULL);
  close_file(file);
  return 0;
}
