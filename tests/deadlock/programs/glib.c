// glib's mutexes and threads, from the table of known functions.
// expect: cycle A-B C-D
typedef struct { void *p; } GMutex;
void g_mutex_lock(GMutex *), g_mutex_unlock(GMutex *);
void *g_thread_new(const char *, void *(*)(void *), void *), *g_thread_join(void *);
GMutex a_lock, b_lock;
int x;
void *one(void *arg) {
  g_mutex_lock(&a_lock);  //@ A
  g_mutex_lock(&b_lock);  //@ B
  x++;
  g_mutex_unlock(&b_lock);
  g_mutex_unlock(&a_lock);
  return 0;
}
void *two(void *arg) {
  g_mutex_lock(&b_lock);  //@ C
  g_mutex_lock(&a_lock);  //@ D
  x++;
  g_mutex_unlock(&a_lock);
  g_mutex_unlock(&b_lock);
  return 0;
}
int main() {
  void *a = g_thread_new("one", one, 0), *b = g_thread_new("two", two, 0);
  g_thread_join(a);
  g_thread_join(b);
}
