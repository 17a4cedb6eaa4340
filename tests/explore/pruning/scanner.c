// Two workers take files from a queue and count what they find. Who gets which file depends on the order at the queue;
// what is counted does not.
// EXPLORE: -> executions=1508
// EXPLORE: -> executions=64 options=--goal,race
// EXPLORE: -DFILES=3 -DBUG -> findings=data-race
// EXPLORE: -DFILES=3 -DBUG -> findings=data-race options=--goal,race
#include <pthread.h>
#ifndef FILES
#define FILES 5
#endif

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *const files[5] = {"a needle\nin hay\n", "hay\n", "two needles\nare here\nneedle\n", "\n", "needle"};
static int next;
static long lines;
static long matches;

static const char *take(void) {
  const char *file = 0;
  pthread_mutex_lock(&queue_lock);
  if (next < FILES) file = files[next++];
  pthread_mutex_unlock(&queue_lock);
  return file;
}

static void scan(const char *text) {
  long line = 0;
  long match = 0;
  for (; *text != 0; ++text) {
    line += *text == '\n';
    match += text[0] == 'n' && text[1] == 'e' && text[2] == 'e';
  }
  pthread_mutex_lock(&lines_lock);
  lines += line;
  pthread_mutex_unlock(&lines_lock);
#ifdef BUG
  if (match > 1) {
    matches += match;
    return;
  }
#endif
  pthread_mutex_lock(&matches_lock);
  matches += match;
  pthread_mutex_unlock(&matches_lock);
}

static void *work(void *unused) {
  for (const char *file = take(); file != 0; file = take()) scan(file);
  return unused;
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; ++i) pthread_create(&workers[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(workers[i], 0);
  return lines > 0 && matches > 0 ? 0 : 1;
}
