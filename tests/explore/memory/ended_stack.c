/* A thread leaves a pointer to its own variable behind; the twin to one that stays.
 * EXPLORE: -DBUG=0 -> findings=none in_place
 * EXPLORE: -DBUG=1 -> findings=misuse says=stack.of.a.thread.that.has.ended in_place
 * EXPLORE: -DBUG=2 -> findings=misuse says=stack.of.a.thread.that.has.ended
 * EXPLORE: -DBUG=3 -> findings=misuse says=stack.of.a.thread.that.has.ended
 * EXPLORE: -DBUG=1 -> options=--memory,c11 findings=misuse */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static int g_number;
static int* _Atomic g_left = &g_number;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* _Atomic g_left_lock = &g_lock;
static _Thread_local int t_own;
static void* Work(void* argument) {
  int own = 1;
  pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
  if (BUG == 1) g_left = &own;
  if (BUG == 2) g_left_lock = &own_lock;
  if (BUG == 3) g_left = &t_own;
  *(int*)argument = 5; /* the creator's, which waits */
  return NULL;
}
static void* Other(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  int result = 0;
  pthread_create(&thread, NULL, Work, &result);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, Other, NULL);
  *g_left = result;
  pthread_mutex_lock(g_left_lock);
  pthread_mutex_unlock(g_left_lock);
  pthread_join(thread, NULL);
  return 0;
}
