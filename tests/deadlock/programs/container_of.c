// The object is found from the address of a member behind its lock.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct node {
  struct node *next;
};
struct job {
  int number;
  pthread_mutex_t lock;
  struct node link;
};
struct node *head;
pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *job_of(struct node *link) { return (struct job *)((char *)link - offsetof(struct job, link)); }
void *worker(void *arg) {
  pthread_mutex_lock(&list_lock);  //@ A
  struct job *job = job_of(head);
  pthread_mutex_lock(&job->lock);  //@ B
  job->number++;
  pthread_mutex_unlock(&job->lock);
  pthread_mutex_unlock(&list_lock);
  return 0;
}
int main() {
  struct job *job = malloc(sizeof *job);
  pthread_mutex_init(&job->lock, 0);
  head = &job->link;
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&job->lock);   //@ C
  pthread_mutex_lock(&list_lock);   //@ D
  pthread_mutex_unlock(&list_lock);
  pthread_mutex_unlock(&job->lock);
  pthread_join(t, 0);
}
