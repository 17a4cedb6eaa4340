/* Traffic between two or more threads, one kind at a time. usage: traffic KIND ROUNDS [THREADS]
 *   words     each writes its own words of one array, which lie between those of the others
 *   bytes     the same with bytes of common words
 *   table     all read one table, each by its own order
 *   publish   one changes a table under a lock now and then, all read it under the lock
 *   acquire   all load a flag that one of them stores now and then
 *   count     all raise one counter with acquire and release, as uses of shared objects
 *   swap      all raise one counter by compare and exchange
 *   spin      threads hand a flag round, each waiting for its turn
 *   ticket    a ticket lock around a plain counter
 *   queue     a bounded queue of many producers and consumers, by sequence numbers */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxThreads = 64, kWords = 4096 };

static long rounds;
static int threads;
static long words[kWords];
static char bytes[kWords];
static long sums[kMaxThreads * 16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) atomic_long flag;
static _Alignas(64) atomic_long counter;
static _Alignas(64) atomic_long next_ticket;
static _Alignas(64) atomic_long served;
static _Alignas(64) long plain;

static void Words(int me) {
  for (long i = 0; i < rounds; ++i) {
    long at = (i * threads + me) % kWords;
    words[at] += i;
  }
}
static void Bytes(int me) {
  for (long i = 0; i < rounds; ++i) {
    long at = (i * threads + me) % kWords;
    bytes[at] = (char)(bytes[at] + i);
  }
}
static void Table(int me) {
  long sum = 0;
  unsigned long at = (unsigned long)me;
  for (long i = 0; i < rounds; ++i) {
    at = at * 6364136223846793005UL + 1442695040888963407UL;
    sum += words[(at >> 40) % kWords];
  }
  sums[me * 16] = sum;
}
static void Publish(int me) {
  long sum = 0;
  for (long i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&mutex);
    long from = i * 16 % kWords;
    for (long k = 0; k < 16; ++k) sum += words[from + k];
    if (me == 0 && i % 16 == 0) words[i % kWords] = i;
    pthread_mutex_unlock(&mutex);
  }
  sums[me * 16] = sum;
}
static void AcquireFlag(int me) {
  long sum = 0;
  for (long i = 0; i < rounds; ++i) {
    if (me == 0 && i % 64 == 0) atomic_store_explicit(&flag, i, memory_order_release);
    sum += atomic_load_explicit(&flag, memory_order_acquire);
  }
  sums[me * 16] = sum;
}
static void Count(int me) {
  (void)me;
  for (long i = 0; i < rounds; ++i) {
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&counter, 1, memory_order_acq_rel);
  }
}
static void Swap(int me) {
  (void)me;
  for (long i = 0; i < rounds; ++i) {
    long old = atomic_load_explicit(&counter, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&counter, &old, old + 1)) {
    }
  }
}
static void Spin(int me) {
  for (long i = 0; i < rounds; ++i) {
    while (atomic_load_explicit(&flag, memory_order_acquire) % threads != me) {
    }
    ++plain;
    atomic_fetch_add_explicit(&flag, 1, memory_order_release);
  }
}
static void Ticket(int me) {
  (void)me;
  for (long i = 0; i < rounds; ++i) {
    long mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&served, memory_order_acquire) != mine) {
    }
    ++plain;
    atomic_store_explicit(&served, mine + 1, memory_order_release);
  }
}

enum { kQueue = 1024 };
static struct {
  atomic_long sequence;
  long value;
} queue[kQueue];

static void Put(long value) {
  long at = atomic_load_explicit(&next_ticket, memory_order_relaxed);
  for (;;) {
    long sequence = atomic_load_explicit(&queue[at % kQueue].sequence, memory_order_acquire);
    if (sequence == at) {
      if (atomic_compare_exchange_weak_explicit(&next_ticket, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
        break;
    } else {
      if (sequence < at) sched_yield();
      at = atomic_load_explicit(&next_ticket, memory_order_relaxed);
    }
  }
  queue[at % kQueue].value = value;
  atomic_store_explicit(&queue[at % kQueue].sequence, at + 1, memory_order_release);
}
static long Get(void) {
  long at = atomic_load_explicit(&served, memory_order_relaxed);
  for (;;) {
    long sequence = atomic_load_explicit(&queue[at % kQueue].sequence, memory_order_acquire);
    if (sequence == at + 1) {
      if (atomic_compare_exchange_weak_explicit(&served, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
        break;
    } else {
      if (sequence < at + 1) sched_yield();
      at = atomic_load_explicit(&served, memory_order_relaxed);
    }
  }
  long value = queue[at % kQueue].value;
  atomic_store_explicit(&queue[at % kQueue].sequence, at + kQueue, memory_order_release);
  return value;
}
static void Queue(int me) {
  long sum = 0;
  for (long i = 0; i < rounds; ++i) {
    if (me % 2 == 0) {
      Put(i);
    } else {
      sum += Get();
    }
  }
  sums[me * 16] = sum;
}

static const struct {
  const char* name;
  void (*work)(int me);
} kKinds[] = {{"words", Words}, {"bytes", Bytes}, {"table", Table}, {"publish", Publish}, {"acquire", AcquireFlag},
              {"count", Count}, {"swap", Swap},   {"spin", Spin},   {"ticket", Ticket},   {"queue", Queue}};
static void (*chosen)(int me);

static void* Thread(void* me) {
  chosen((int)(long)me);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rounds = atol(argv[2]);
  threads = argc > 3 ? atoi(argv[3]) : 2;
  for (size_t i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
    if (strcmp(kKinds[i].name, argv[1]) == 0) chosen = kKinds[i].work;
  }
  if (chosen == NULL || threads < 1 || threads > kMaxThreads) return 2;
  for (long i = 0; i < kQueue; ++i) atomic_store_explicit(&queue[i].sequence, i, memory_order_relaxed);
  pthread_t ids[kMaxThreads];
  for (long i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, Thread, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  printf("%ld %ld\n", plain, sums[0]);
  return 0;
}
