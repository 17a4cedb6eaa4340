// Races around read-write locks, condition variables, barriers and semaphores.
#include "harness.h"

namespace rw_write_in_read_mode {
int x;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
RACE(rw_write_in_read_mode) {
  auto body = [] {
    if (kFixed) {
      pthread_rwlock_wrlock(&l);
    } else {
      pthread_rwlock_rdlock(&l);
    }
    x++;
    pthread_rwlock_unlock(&l);
  };
  Together(body, body);
}
}  // namespace rw_write_in_read_mode

namespace rw_reader_outside {
int x, seen;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
RACE(rw_reader_outside) {
  Together(
      [] {
        pthread_rwlock_wrlock(&l);
        x = 1;
        pthread_rwlock_unlock(&l);
      },
      [] {
        Later();
        pthread_rwlock_rdlock(&l);
        if (kFixed) seen = x;
        pthread_rwlock_unlock(&l);
        if (!kFixed) seen = x;
      });
}
}  // namespace rw_reader_outside

namespace rw_upgrade_gap {
int x, seen;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
RACE(rw_upgrade_gap) {
  auto body = [] {
    pthread_rwlock_rdlock(&l);
    bool missing = x == 0;
    pthread_rwlock_unlock(&l);
    if (!missing) return;
    if (kFixed) pthread_rwlock_wrlock(&l);
    x = 1;
    if (kFixed) pthread_rwlock_unlock(&l);
  };
  Together(body, body);
}
}  // namespace rw_upgrade_gap

namespace rw_statistics {
int table, hits;
std::atomic<int> atomic_hits;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
RACE(rw_statistics) {
  auto body = [] {
    pthread_rwlock_rdlock(&l);
    if (kFixed) {
      atomic_hits++;
    } else {
      hits++;
    }
    pthread_rwlock_unlock(&l);
  };
  Together(body, body, body);
}
}  // namespace rw_statistics

namespace rw_hidden {
int x;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
RACE(rw_hidden) {
  Together(
      [] {
        if (!kFixed) x = 1;
        pthread_rwlock_wrlock(&l);
        if (kFixed) x = 1;
        pthread_rwlock_unlock(&l);
      },
      [] {
        Later();
        pthread_rwlock_wrlock(&l);
        x = 2;
        pthread_rwlock_unlock(&l);
      });
}
}  // namespace rw_hidden

namespace cond_peek {
int item;
bool ready;
std::mutex m;
std::condition_variable c;
int seen;
RACE(cond_peek) {
  Together(
      [] {
        if (!kFixed) seen = item;
        std::unique_lock<std::mutex> lock(m);
        while (!ready) c.wait(lock);
        seen = item;
      },
      [] {
        Later();
        std::lock_guard<std::mutex> lock(m);
        item = 7;
        ready = true;
        c.notify_one();
      });
}
}  // namespace cond_peek

namespace cond_write_after_signal {
int item;
bool ready;
std::mutex m;
std::condition_variable c;
int seen;
RACE(cond_write_after_signal) {
  Together(
      [] {
        std::unique_lock<std::mutex> lock(m);
        while (!ready) c.wait(lock);
        lock.unlock();
        seen = item;
      },
      [] {
        Later();
        if (kFixed) item = 7;
        {
          std::lock_guard<std::mutex> lock(m);
          ready = true;
        }
        c.notify_one();
        if (!kFixed) item = 7;
      });
}
}  // namespace cond_write_after_signal

namespace cond_two_consumers {
int items, last;
std::mutex m;
std::condition_variable c;
void Consume() {
  std::unique_lock<std::mutex> lock(m);
  while (items == 0) c.wait(lock);
  items--;
  if (kFixed) last = items;
  lock.unlock();
  if (!kFixed) last = 1;
}
RACE(cond_two_consumers) {
  Together(Consume, Consume, [] {
    Later();
    for (int i = 0; i < 2; i++) {
      std::lock_guard<std::mutex> lock(m);
      items++;
      c.notify_one();
    }
  });
}
}  // namespace cond_two_consumers

namespace cond_predicate_unlocked {
bool ready;
std::mutex m;
std::condition_variable c;
RACE(cond_predicate_unlocked) {
  Together(
      [] {
        std::unique_lock<std::mutex> lock(m);
        while (!ready) c.wait_for(lock, std::chrono::milliseconds(1));
      },
      [] {
        if (kFixed) m.lock();
        ready = true;
        if (kFixed) m.unlock();
        c.notify_one();
      });
}
}  // namespace cond_predicate_unlocked

namespace cond_before_wait {
int x;
bool ready;
std::mutex m;
std::condition_variable c;
RACE(cond_before_wait) {
  Together(
      [] {
        if (!kFixed) x = 1;
        std::unique_lock<std::mutex> lock(m);
        if (kFixed) x = 1;
        while (!ready) c.wait(lock);
      },
      [] {
        Later();
        {
          std::lock_guard<std::mutex> lock(m);
          ready = true;
          if (kFixed) x = 2;
        }
        c.notify_one();
        if (!kFixed) x = 2;
      });
}
}  // namespace cond_before_wait

namespace cond_broadcast_result {
int result, started;
std::mutex m;
std::condition_variable c;
void Wait() {
  std::unique_lock<std::mutex> lock(m);
  while (started == 0) c.wait(lock);
  if (!kFixed) lock.unlock();
  result++;
}
RACE(cond_broadcast_result) {
  Together(Wait, Wait, [] {
    Later();
    std::lock_guard<std::mutex> lock(m);
    started = 1;
    c.notify_all();
  });
}
}  // namespace cond_broadcast_result

namespace barrier_one_missing {
int cell[2], sum[2];
Bar b(2);
void Phase(int i) {
  cell[i] = i + 1;
  b.Wait();
  sum[i] = cell[0] + cell[1];
  if (kFixed) b.Wait();
  cell[i] = 0;
}
RACE(barrier_one_missing) {
  Together([] { Phase(0); }, [] { Phase(1); });
}
}  // namespace barrier_one_missing

namespace barrier_too_small {
int x;
Bar b(kFixed ? 3 : 2);
Bar second(2);
RACE(barrier_too_small) {
  Together(
      [] {
        x = 1;
        b.Wait();
      },
      [] {
        b.Wait();
        if (!kFixed) b.Wait();
      },
      [] {
        b.Wait();
        x = 2;
      });
}
}  // namespace barrier_too_small

namespace barrier_reduce {
int part[2], total;
Bar b(2);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void Work(int i) {
  part[i] = i;
  b.Wait();
  Guard guard(m, kFixed);
  total += part[0] + part[1];
}
RACE(barrier_reduce) {
  Together([] { Work(0); }, [] { Work(1); });
}
}  // namespace barrier_reduce

namespace barrier_neighbour {
int cell[3];
Bar b(3);
void Step(int i) {
  int left = cell[(i + 2) % 3];
  if (kFixed) b.Wait();
  cell[i] = left + 1;
  b.Wait();
}
RACE(barrier_neighbour) {
  Together([] { Step(0); }, [] { Step(1); }, [] { Step(2); });
}
}  // namespace barrier_neighbour

namespace sem_two_slots {
int x;
Sem s(kFixed ? 1 : 2);
RACE(sem_two_slots) {
  auto body = [] {
    s.Wait();
    x++;
    s.Post();
  };
  Together(body, body);
}
}  // namespace sem_two_slots

namespace sem_post_too_early {
int item, seen;
Sem s(0);
RACE(sem_post_too_early) {
  Together(
      [] {
        if (kFixed) item = 1;
        s.Post();
        if (!kFixed) item = 1;
      },
      [] {
        s.Wait();
        seen = item;
      });
}
}  // namespace sem_post_too_early

namespace sem_wrong_one {
int item, seen;
Sem filled(0), other(1);
RACE(sem_wrong_one) {
  Together(
      [] {
        item = 1;
        filled.Post();
      },
      [] {
        Later();
        (kFixed ? filled : other).Wait();
        seen = item;
      });
}
}  // namespace sem_wrong_one

namespace sem_two_posters {
int item, seen;
Sem s(0), own(0);
RACE(sem_two_posters) {
  Together(
      [] {
        item = 1;
        (kFixed ? own : s).Post();
      },
      [] {
        Later();
        s.Post();
      },
      [] {
        (kFixed ? own : s).Wait();
        seen = item;
        s.Wait();
      });
}
}  // namespace sem_two_posters

namespace sem_one_side {
int x;
Sem s(1);
RACE(sem_one_side) {
  Together(
      [] {
        s.Wait();
        x = 1;
        s.Post();
      },
      [] {
        Later();
        s.Wait();
        if (kFixed) x = 2;
        s.Post();
        if (!kFixed) x = 2;
      });
}
}  // namespace sem_one_side
