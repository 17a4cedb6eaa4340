// Objects go into a table of a library and come out again by name.
// expect: cycle A-B C-D
#include <pthread.h>
#include <stdlib.h>
struct account { pthread_mutex_t log, money; };
extern void *table_new(void);
extern void table_put(void *table, const char *name, void *value);
extern void *table_get(void *table, const char *name);
static void *table;
static void *t(void *name) {
  struct account *mine = table_get(table, name);
  pthread_mutex_lock(&mine->log);    //@ A
  pthread_mutex_lock(&mine->money);  //@ B
  pthread_mutex_unlock(&mine->money);
  pthread_mutex_unlock(&mine->log);
  return 0;
}
int main(void) {
  struct account *one = malloc(sizeof *one);
  pthread_mutex_init(&one->log, 0);
  pthread_mutex_init(&one->money, 0);
  table = table_new();
  table_put(table, "one", one);
  pthread_t id;
  pthread_create(&id, 0, t, "one");
  pthread_mutex_lock(&one->money);  //@ C
  pthread_mutex_lock(&one->log);    //@ D
  pthread_mutex_unlock(&one->log);
  pthread_mutex_unlock(&one->money);
  pthread_join(id, 0);
}
