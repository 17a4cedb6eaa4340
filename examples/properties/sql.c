/* The core of a database API. The worker uses the statement that main prepares, and must be done before main finalizes
 * it. */
#include <pthread.h>
#include <stdlib.h>

typedef struct {
  int open;
} database;
typedef struct {
  int row;
} statement;

static __attribute__((noinline)) int db_open(const char* name, database** made) {
  *made = malloc(sizeof(database));
  (*made)->open = name != NULL;
  return 0;
}
static __attribute__((noinline)) int db_prepare(database* from, const char* text, statement** made) {
  *made = malloc(sizeof(statement));
  (*made)->row = from->open && text != NULL;
  return 0;
}
static __attribute__((noinline)) void db_bind(statement* to, int value) { to->row += value; }
static __attribute__((noinline)) int db_step(statement* at) { return ++at->row; }
static __attribute__((noinline)) int db_column(statement* at) { return at->row; }
static __attribute__((noinline)) void db_reset(statement* at) { at->row = 0; }
static __attribute__((noinline)) void db_finalize(statement* at) { at->row = -1; }
static __attribute__((noinline)) void db_close(database* at) { at->open = 0; }

static statement* shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* worker(void* unused) {
  pthread_mutex_lock(&lock);
  db_step(shared);
  db_column(shared);
  db_reset(shared);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  database* db = NULL;
  db_open("rows.db", &db);
  db_prepare(db, "select", &shared);
  db_bind(shared, 1);
  pthread_create(&thread, NULL, worker, NULL);
#ifdef FIXED
  pthread_join(thread, NULL);
#endif
  pthread_mutex_lock(&lock);
  db_step(shared);
  db_finalize(shared);
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  pthread_join(thread, NULL);
#endif
  db_close(db);
  free(shared);
  free(db);
  return 0;
}
