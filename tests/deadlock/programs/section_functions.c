// Functions that are found in a section of their own, between the names that the linker gives to its start and end.
// expect: cycle A-B C-D
#include <pthread.h>
typedef void (*step)(void);
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static void take_a(void) {
  pthread_mutex_lock(&a_lock);  //@ D
  pthread_mutex_unlock(&a_lock);
}
static void nothing(void) {}
static step first __attribute__((section("steps"), used)) = nothing;
static step second __attribute__((section("steps"), used)) = take_a;
extern step __start_steps[], __stop_steps[];
void *one(void *arg) {
  pthread_mutex_lock(&a_lock);  //@ A
  pthread_mutex_lock(&b_lock);  //@ B
  pthread_mutex_unlock(&b_lock);
  pthread_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  pthread_mutex_lock(&b_lock);  //@ C
  for (step *at = __start_steps; at < __stop_steps; ++at) (*at)();
  pthread_mutex_unlock(&b_lock);
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
