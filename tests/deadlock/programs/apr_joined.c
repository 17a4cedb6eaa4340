// apr: the thread is joined before the other order.
// expect: none
typedef struct apr_thread_mutex_t apr_thread_mutex_t;
typedef struct apr_thread_t apr_thread_t;
int apr_thread_mutex_create(apr_thread_mutex_t **, unsigned, void *);
int apr_thread_mutex_lock(apr_thread_mutex_t *), apr_thread_mutex_unlock(apr_thread_mutex_t *);
int apr_thread_create(apr_thread_t **, void *, void *(*)(apr_thread_t *, void *), void *, void *);
int apr_thread_join(int *, apr_thread_t *);
apr_thread_mutex_t *a_lock, *b_lock;
int x;
void *one(apr_thread_t *t, void *arg) {
  apr_thread_mutex_lock(a_lock);
  apr_thread_mutex_lock(b_lock);
  x++;
  apr_thread_mutex_unlock(b_lock);
  apr_thread_mutex_unlock(a_lock);
  return 0;
}
int main() {
  apr_thread_t *a;
  int r;
  apr_thread_mutex_create(&a_lock, 0, 0);
  apr_thread_mutex_create(&b_lock, 0, 0);
  apr_thread_create(&a, 0, one, 0, 0);
  apr_thread_join(&r, a);
  apr_thread_mutex_lock(b_lock);
  apr_thread_mutex_lock(a_lock);
  apr_thread_mutex_unlock(a_lock);
  apr_thread_mutex_unlock(b_lock);
}
