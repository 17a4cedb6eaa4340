/* Loops that count their rounds, and do something else after some: they are not the same round again.
   EXPLORE: -DPLACE=global -> findings=crash
   EXPLORE: -DPLACE=global -> findings=crash options=--no-races
   EXPLORE: -DPLACE=global -> findings=crash options=--memory,c11
   EXPLORE: -DPLACE=global -DTWO -> findings=crash
   EXPLORE: -DPLACE=heap -> findings=crash
   EXPLORE: -DPLACE=own -> findings=crash
   EXPLORE: -DPLACE=local -> findings=crash
   EXPLORE: -DPLACE=local -DYIELD -> findings=crash
   EXPLORE: -DPLACE=global -DGIVE_UP -> findings=none
   EXPLORE: -DPLACE=local -DGIVE_UP -> findings=none
   EXPLORE: -DPLACE=global -DNEVER -> exit=3 says=cut.at options=--depth,300
   EXPLORE: -DPLACE=local -DNEVER -> exit=3 says=cut.at options=--depth,300
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int flag, second; /* not static: see rounds.c */
int counter;
static int* block;
static _Thread_local int counter_of_thread;
#define global counter
#define heap (*block)
#define own counter_of_thread
#define local rounds
static void* Wait(void* unused) {
  int rounds = 0;
  (void)rounds;
  while (!atomic_load(&flag)
#ifdef TWO
         || !atomic_load(&second)
#endif
  ) {
    ++PLACE;
#ifdef YIELD
    sched_yield();
#endif
#ifdef GIVE_UP
    if (PLACE == 5) break;
#elif !defined NEVER
    if (PLACE == 5) abort();
#endif
  }
  counter = PLACE;
  return unused;
}
int main(void) {
  pthread_t thread;
  block = calloc(1, sizeof *block);
  pthread_create(&thread, 0, Wait, 0);
#ifndef NEVER
  atomic_store(&flag, 1);
  atomic_store(&second, 1);
#endif
  pthread_join(thread, 0);
  return 0;
}
