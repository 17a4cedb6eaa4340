// glib: a recursive mutex may be taken again; both threads have one order.
// expect: none
typedef struct { void *p[2]; } GRecMutex;
typedef struct { void *p; } GMutex;
void g_rec_mutex_lock(GRecMutex *), g_rec_mutex_unlock(GRecMutex *), g_mutex_lock(GMutex *), g_mutex_unlock(GMutex *);
void *g_thread_new(const char *, void *(*)(void *), void *), *g_thread_join(void *);
GRecMutex a_lock;
GMutex b_lock;
int x;
void inner(void) {
  g_rec_mutex_lock(&a_lock);
  g_mutex_lock(&b_lock);
  x++;
  g_mutex_unlock(&b_lock);
  g_rec_mutex_unlock(&a_lock);
}
void *one(void *arg) {
  g_rec_mutex_lock(&a_lock);
  inner();
  g_rec_mutex_unlock(&a_lock);
  return 0;
}
int main() {
  void *a = g_thread_new("one", one, 0), *b = g_thread_new("two", one, 0);
  g_thread_join(a);
  g_thread_join(b);
}
