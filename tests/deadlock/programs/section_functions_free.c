// The fixed twin of section_functions.c: the functions that are found in the section run under another lock.
// expect: none
// proof: yes
#include <pthread.h>
typedef void (*step)(void);
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER,
                c_lock = PTHREAD_MUTEX_INITIALIZER;
static void take_a(void) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_unlock(&a_lock);
}
static void nothing(void) {}
static step first __attribute__((section("steps"), used)) = nothing;
static step second __attribute__((section("steps"), used)) = take_a;
extern step __start_steps[], __stop_steps[];
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);
  pthread_mutex_lock(&b_lock);
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&c_lock);
  for (step *at = __start_steps; at < __stop_steps; ++at) (*at)();
  pthread_mutex_unlock(&c_lock);
  return 0;
}
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
