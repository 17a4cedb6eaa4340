/* Memory that is gone when the lock under which it was written is given back. The call has no interceptor.
 * EXPLORE: -> findings=none says=mmap */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static int g_sum;
static long Unmap(void* at) {
  long result = SYS_munmap;
  __asm__ volatile("syscall" : "+a"(result) : "D"(at), "S"(4096) : "rcx", "r11", "memory");
  return result;
}
static void* Run(void* unused) {
  for (int i = 0; i < 2; ++i) {
    int* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_lock(&g_mutex);
    *page = 1;
    g_sum += *page;
    if (Unmap(page) != 0) g_sum = 100;
    pthread_mutex_unlock(&g_mutex);
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, Run, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return g_sum == 4 ? 0 : 1;
}
