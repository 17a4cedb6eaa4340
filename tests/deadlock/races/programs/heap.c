// Jobs from the heap, each with its own lock; the number of jobs is not known.
#include <pthread.h>
#include <stdlib.h>
struct job {
  pthread_mutex_t lock;
  int done;
};
struct job *jobs[8];
void *work(void *arg) {
  for (int i = 0; i < 8; ++i) {
    struct job *job = jobs[i];
    pthread_mutex_lock(&job->lock);
    job->done++;  //@ A
    pthread_mutex_unlock(&job->lock);
  }
  return arg;
}
int main(int argc, char **argv) {
  pthread_t t[2];
  for (int i = 0; i < 8; ++i) {
    struct job *fresh = malloc(sizeof *fresh);
    pthread_mutex_init(&fresh->lock, 0);
    fresh->done = argc;
    jobs[i] = fresh;
  }
  pthread_create(&t[0], 0, work, 0);
  pthread_create(&t[1], 0, work, 0);
#ifdef FIXED
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  int sum = jobs[argc]->done;
#else
  int sum = jobs[argc]->done;  //@ B
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
#endif
  return sum;
}
// expect: fresh->done A-B
