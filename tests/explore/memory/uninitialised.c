/* Primitives in allocated memory that nobody initialised; the twin does, in all the ways there are.
 * EXPLORE: -DBUG=0 -> findings=none in_place
 * EXPLORE: -DBUG=1 -> findings=misuse says=nobody.has.initialised.it
 * EXPLORE: -DBUG=2 -> findings=misuse says=nobody.has.initialised.it
 * EXPLORE: -DBUG=3 -> findings=misuse says=nobody.has.initialised.it
 * EXPLORE: -DBUG=4 -> findings=misuse says=nobody.has.initialised.it
 * EXPLORE: -DBUG=5 -> findings=misuse says=nobody.has.initialised.it bounded
 * EXPLORE: -DBUG=6 -> findings=misuse says=used.after.it.was.destroyed */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
struct Shared {
  int value;
  pthread_mutex_t lock;
  pthread_rwlock_t many;
  pthread_cond_t changed;
  sem_t tokens;
  pthread_barrier_t both;
};
static void* Work(void* argument) {
  struct Shared* shared = argument;
  pthread_barrier_wait(&shared->both);
  pthread_mutex_lock(&shared->lock);
  shared->value++;
  pthread_cond_signal(&shared->changed);
  pthread_mutex_unlock(&shared->lock);
  pthread_rwlock_rdlock(&shared->many);
  pthread_rwlock_unlock(&shared->many);
  sem_post(&shared->tokens);
  sem_wait(&shared->tokens);
  return argument;
}
int main(void) {
  struct Shared* shared = malloc(sizeof *shared);
  shared->value = 0;
  if (BUG != 1) shared->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  if (BUG != 2) shared->many = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  if (BUG != 3) pthread_cond_init(&shared->changed, NULL);
  if (BUG != 4) sem_init(&shared->tokens, 0, 0);
  if (BUG != 5) pthread_barrier_init(&shared->both, NULL, 2);
  pthread_mutex_t* zeros = calloc(1, sizeof *zeros); /* not portable, and what programs do */
  pthread_mutex_lock(zeros);
  pthread_mutex_unlock(zeros);
  pthread_t thread;
  pthread_create(&thread, NULL, Work, shared);
  Work(shared);
  pthread_join(thread, NULL);
  if (BUG == 6) {
    pthread_mutex_destroy(&shared->lock);
    pthread_mutex_lock(&shared->lock);
  }
  free(zeros);
  free(shared);
  return 0;
}
