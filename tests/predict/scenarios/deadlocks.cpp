// Deadlocks: of locks, read-write locks, semaphores, barriers, condition variables and joins.
#include "harness.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER,
                       gate = PTHREAD_MUTEX_INITIALIZER;

static void Two(pthread_mutex_t& first, pthread_mutex_t& second) {
  Guard one(first);
  Guard two(second);
}

DEADLOCK(ab_ba) {
  Together([] { Two(a, b); },
           [] {
             Later();
             kFixed ? Two(a, b) : Two(b, a);
           });
}

DEADLOCK(three_cycle) {
  Together([] { Two(a, b); },
           [] {
             Later();
             Two(b, c);
           },
           [] {
             Later();
             Later();
             kFixed ? Two(a, c) : Two(c, a);
           });
}

namespace philosophers {
pthread_mutex_t fork[4];
void Eat(int i) {
  int left = i;
  int right = (i + 1) % 4;
  if (kFixed && left > right) std::swap(left, right);
  Two(fork[left], fork[right]);
}
DEADLOCK(philosophers) {
  for (pthread_mutex_t& one : fork) pthread_mutex_init(&one, nullptr);
  Together([] { Eat(0); }, [] { Eat(1); }, [] { Eat(2); }, [] { Eat(3); });
}
}  // namespace philosophers

DEADLOCK(gate_on_one_side) {
  Together(
      [] {
        Guard guard(gate);
        Two(a, b);
      },
      [] {
        Later();
        Guard guard(gate, kFixed);
        Two(b, a);
      });
}

DEADLOCK(two_gates) {
  Together(
      [] {
        Guard guard(gate);
        Two(a, b);
      },
      [] {
        Later();
        Guard guard(kFixed ? gate : c);
        Two(b, a);
      });
}

namespace ring {
pthread_mutex_t forks[6] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                            PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
template <int kSeat>
void Eat() {
  constexpr int kNext = (kSeat + 1) % 6;
  bool swap = kFixed && kNext < kSeat;
  Two(forks[swap ? kNext : kSeat], forks[swap ? kSeat : kNext]);
}
DEADLOCK(six_in_a_ring) { Together(Eat<0>, Eat<1>, Eat<2>, Eat<3>, Eat<4>, Eat<5>); }
}  // namespace ring

DEADLOCK(orders_split_by_barrier) {
  static Bar bar(2);
  Together(
      [] {
        Two(a, b);
        if (kFixed) bar.Wait();
      },
      [] {
        Later();
        if (kFixed) bar.Wait();
        Two(b, a);
      });
}

DEADLOCK(orders_split_by_join) {
  std::thread one([] { Two(a, b); });
  if (kFixed) one.join();
  Later();
  Two(b, a);
  if (!kFixed) one.join();
}

namespace accounts {
struct Account {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  int money = 10;
} x, y;
void Transfer(Account& from, Account& to) {
  bool swap = kFixed && &from > &to;
  Guard one(swap ? to.m : from.m);
  Guard two(swap ? from.m : to.m);
  from.money--;
  to.money++;
}
DEADLOCK(accounts) {
  Together([] { Transfer(x, y); },
           [] {
             Later();
             Transfer(y, x);
           });
}
}  // namespace accounts

namespace rw_cycle {
pthread_rwlock_t p = PTHREAD_RWLOCK_INITIALIZER, q = PTHREAD_RWLOCK_INITIALIZER;
void Both(pthread_rwlock_t& first, pthread_rwlock_t& second) {
  pthread_rwlock_wrlock(&first);
  pthread_rwlock_wrlock(&second);
  pthread_rwlock_unlock(&second);
  pthread_rwlock_unlock(&first);
}
DEADLOCK(rw_cycle) {
  Together([] { Both(p, q); },
           [] {
             Later();
             kFixed ? Both(p, q) : Both(q, p);
           });
}
}  // namespace rw_cycle

namespace rw_read_write {
pthread_rwlock_t p = PTHREAD_RWLOCK_INITIALIZER;
void Read(bool mutex_first) {
  if (mutex_first) pthread_mutex_lock(&a);
  pthread_rwlock_rdlock(&p);
  if (!mutex_first) pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_rwlock_unlock(&p);
}
DEADLOCK(rw_read_write) {
  Together([] { Read(kFixed); },
           [] {
             Later();
             pthread_mutex_lock(&a);
             pthread_rwlock_wrlock(&p);
             pthread_rwlock_unlock(&p);
             pthread_mutex_unlock(&a);
           });
}
}  // namespace rw_read_write

namespace sem_both_ways {
Sem s(0), back(0);
int work;
DEADLOCK(sem_both_ways) {
  std::thread worker([] {
    s.Wait();
    work = 1;
    (kFixed ? back : s).Post();
  });
  s.Post();
  Later();
  (kFixed ? back : s).Wait();
  worker.join();
}
}  // namespace sem_both_ways

namespace sem_resources {
Sem p(1), q(1);
void Use(Sem& first, Sem& second) {
  first.Wait();
  second.Wait();
  second.Post();
  first.Post();
}
DEADLOCK(sem_resources) {
  Together([] { Use(p, q); },
           [] {
             Later();
             kFixed ? Use(p, q) : Use(q, p);
           });
}
}  // namespace sem_resources

namespace sem_in_lock {
Sem s(0);
DEADLOCK(sem_in_lock) {
  Together(
      [] {
        Guard guard(a);
        s.Post();
      },
      [] {
        Later();
        pthread_mutex_lock(&a);
        if (kFixed) pthread_mutex_unlock(&a);
        s.Wait();
        if (!kFixed) pthread_mutex_unlock(&a);
      });
}
}  // namespace sem_in_lock

namespace sem_greedy {
Sem slots(2);
void Take(int count) {
  for (int i = 0; i < count; i++) slots.Wait();
  for (int i = 0; i < count; i++) slots.Post();
}
DEADLOCK(sem_greedy) {
  auto body = [] {
    Guard guard(a, kFixed);
    Take(2);
  };
  Together(body, body);
}
}  // namespace sem_greedy

namespace barrier_in_lock {
Bar bar(2);
DEADLOCK(barrier_in_lock) {
  Together(
      [] {
        { Guard guard(a); }
        bar.Wait();
      },
      [] {
        Later();
        pthread_mutex_lock(&a);
        if (kFixed) pthread_mutex_unlock(&a);
        bar.Wait();
        if (!kFixed) pthread_mutex_unlock(&a);
      });
}
}  // namespace barrier_in_lock

namespace barrier_shared {
Bar bar(2), other(2);
DEADLOCK(barrier_shared) {
  // Three threads share a barrier for two: when the wrong two meet, the third waits for ever.
  Together(
      [] {
        bar.Wait();
        (kFixed ? other : bar).Wait();
      },
      [] { bar.Wait(); },
      [] {
        Later();
        (kFixed ? other : bar).Wait();
        if (!kFixed) {
          bar.Wait();
          bar.Wait();
        }
      },
      [] {
        Later();
        if (!kFixed) bar.Wait();
      });
}
}  // namespace barrier_shared

namespace lost_signal {
std::mutex m;
std::condition_variable v;
bool ready;
DEADLOCK(lost_signal) {
  Together(
      [] {
        std::unique_lock<std::mutex> lock(m);
        if (kFixed) {
          while (!ready) v.wait(lock);
        } else {
          v.wait(lock);
        }
      },
      [] {
        Later();
        std::lock_guard<std::mutex> lock(m);
        ready = true;
        v.notify_one();
      });
}
}  // namespace lost_signal

namespace wait_with_two_locks {
std::mutex outer, m;
std::condition_variable v;
bool ready;
DEADLOCK(wait_with_two_locks) {
  Together(
      [] {
        { std::lock_guard<std::mutex> more(outer); }
        Later();
        std::lock_guard<std::mutex> lock(m);
        ready = true;
        v.notify_one();
      },
      [] {
        std::unique_lock<std::mutex> hold(outer);
        if (kFixed) hold.unlock();
        std::unique_lock<std::mutex> lock(m);
        while (!ready) v.wait(lock);
      });
}
}  // namespace wait_with_two_locks

DEADLOCK(join_in_lock) {
  std::thread worker([] { Guard guard(a); });
  Later();
  pthread_mutex_lock(&a);
  if (kFixed) pthread_mutex_unlock(&a);
  worker.join();
  if (!kFixed) pthread_mutex_unlock(&a);
}

namespace callback {
struct Subject {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
} subject, observer;
void Notify() {
  pthread_mutex_lock(&subject.m);
  if (kFixed) pthread_mutex_unlock(&subject.m);
  { Guard guard(observer.m); }
  if (!kFixed) pthread_mutex_unlock(&subject.m);
}
void Unsubscribe() {
  Guard guard(observer.m);
  Guard other(subject.m);
}
DEADLOCK(callback) {
  Together(Notify, [] {
    Later();
    Unsubscribe();
  });
}
}  // namespace callback

namespace spin_cycle {
pthread_spinlock_t p, q;
void Both(pthread_spinlock_t& first, pthread_spinlock_t& second) {
  pthread_spin_lock(&first);
  pthread_spin_lock(&second);
  pthread_spin_unlock(&second);
  pthread_spin_unlock(&first);
}
DEADLOCK(spin_cycle) {
  pthread_spin_init(&p, 0);
  pthread_spin_init(&q, 0);
  Together([] { Both(p, q); },
           [] {
             Later();
             kFixed ? Both(p, q) : Both(q, p);
           });
}
}  // namespace spin_cycle

namespace later_rounds {
int x;
DEADLOCK(later_rounds) {
  Together(
      [] {
        for (int i = 0; i < 5; i++) {
          Guard guard(a);
          x++;
        }
        Two(a, b);
      },
      [] {
        for (int i = 0; i < 5; i++) {
          Guard guard(b);
          usleep(10);
        }
        kFixed ? Two(a, b) : Two(b, a);
      });
}
}  // namespace later_rounds
