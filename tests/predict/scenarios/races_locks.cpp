// Races around mutexes.
#include "harness.h"

namespace no_lock {
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(no_lock) {
  auto body = [] {
    Guard guard(m, kFixed);
    x++;
  };
  Together(body, body);
}
}  // namespace no_lock

namespace one_side_locked {
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(one_side_locked) {
  Together(
      [] {
        Guard guard(m);
        x = 1;
      },
      [] {
        Guard guard(m, kFixed);
        x = 2;
      });
}
}  // namespace one_side_locked

namespace two_locks {
int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
RACE(two_locks) {
  Together(
      [] {
        Guard guard(a);
        x = 1;
      },
      [] {
        Guard guard(kFixed ? a : b);
        x = 2;
      });
}
}  // namespace two_locks

namespace hidden_by_order {
int x;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
RACE(hidden_by_order) {
  Together(
      [] {
        Guard guard(l);
        x = 0;
      },
      [] {
        Later();
        { Guard guard(l); }
        Guard guard(l, kFixed);
        x = 1;
      });
}
}  // namespace hidden_by_order

namespace loops_then_write {
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void Loop() {
  for (int i = 0; i < 20; i++) {
    Guard guard(m);
    y++;
  }
}
RACE(loops_then_write) {
  std::thread worker([] {
    Loop();
    Guard guard(m, kFixed);
    x++;
  });
  {
    Guard guard(m, kFixed);
    x++;
  }
  Loop();
  worker.join();
}
}  // namespace loops_then_write

namespace after_unlock {
int total, copy;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(after_unlock) {
  auto body = [] {
    pthread_mutex_lock(&m);
    total++;
    if (kFixed) copy = total;
    pthread_mutex_unlock(&m);
    if (!kFixed) copy = 1;
  };
  Together(body, body);
}
}  // namespace after_unlock

namespace before_lock {
int sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(before_lock) {
  Together(
      [] {
        if (!kFixed) sum = 5;
        Guard guard(m);
        sum = 6;
      },
      [] {
        Later();
        Guard guard(m);
        sum = 7;
      });
}
}  // namespace before_lock

namespace reader_outside {
int value, seen;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(reader_outside) {
  Together(
      [] {
        Guard guard(m);
        value = 1;
      },
      [] {
        Later();
        { Guard guard(m); }
        Guard guard(m, kFixed);
        seen = value;
      });
}
}  // namespace reader_outside

namespace trylock_ignored {
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(trylock_ignored) {
  Together(
      [] {
        Guard guard(m);
        x = 1;
      },
      [] {
        bool got = pthread_mutex_trylock(&m) == 0;
        if (got && !kFixed) pthread_mutex_unlock(&m);
        if (got || !kFixed) x = 2;
        if (got && kFixed) pthread_mutex_unlock(&m);
      });
}
}  // namespace trylock_ignored

namespace recursive_partly {
int x;
std::recursive_mutex m;
void Inner() {
  std::lock_guard<std::recursive_mutex> guard(m);
  x++;
}
RACE(recursive_partly) {
  Together(
      [] {
        std::lock_guard<std::recursive_mutex> guard(m);
        Inner();
      },
      [] {
        Later();
        Inner();
        if (!kFixed) x++;
      });
}
}  // namespace recursive_partly

namespace double_checked {
int data;
bool plain_ready;
std::atomic<bool> ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
bool Ready() { return kFixed ? ready.load(std::memory_order_acquire) : plain_ready; }
RACE(double_checked) {
  auto body = [] {
    if (!Ready()) {
      Guard guard(m);
      if (!Ready()) {
        data = 42;
        if (kFixed) {
          ready.store(true, std::memory_order_release);
        } else {
          plain_ready = true;
        }
      }
    }
    return data;
  };
  Together(body, body);
}
}  // namespace double_checked

namespace getter {
struct Counter {
  int value = 0;
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  void Add() {
    Guard guard(m);
    value++;
  }
  int Get() {
    Guard guard(m, kFixed);
    return value;
  }
} counter;
int seen;
RACE(getter) {
  Together([] { counter.Add(); },
           [] {
             counter.Add();
             seen = counter.Get();
           });
}
}  // namespace getter

namespace last_round_outside {
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(last_round_outside) {
  auto body = [] {
    for (int i = 0; i < 4; i++) {
      Guard guard(m, kFixed || i < 3);
      x++;
    }
  };
  Together(body, body);
}
}  // namespace last_round_outside

namespace second_field {
struct Fields {
  int guarded, forgotten;
} s;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(second_field) {
  auto body = [] {
    pthread_mutex_lock(&m);
    s.guarded++;
    if (kFixed) s.forgotten++;
    pthread_mutex_unlock(&m);
    if (!kFixed) s.forgotten++;
  };
  Together(body, body);
}
}  // namespace second_field

namespace early_unlock {
int head, tail;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(early_unlock) {
  Together(
      [] {
        pthread_mutex_lock(&m);
        head = 1;
        if (!kFixed) pthread_mutex_unlock(&m);
        tail = 1;
        if (kFixed) pthread_mutex_unlock(&m);
      },
      [] {
        Later();
        Guard guard(m);
        tail = 2;
      });
}
}  // namespace early_unlock

namespace spin_lock {
int x;
pthread_spinlock_t l;
RACE(spin_lock) {
  pthread_spin_init(&l, 0);
  Together(
      [] {
        pthread_spin_lock(&l);
        x = 1;
        pthread_spin_unlock(&l);
      },
      [] {
        Later();
        pthread_spin_lock(&l);
        if (kFixed) x = 2;
        pthread_spin_unlock(&l);
        if (!kFixed) x = 2;
      });
}
}  // namespace spin_lock

namespace chain_three {
int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
RACE(chain_three) {
  Together(
      [] {
        if (!kFixed) x = 1;
        Guard guard(a);
        if (kFixed) x = 1;
      },
      [] {
        { Guard guard(a); }
        Guard guard(b);
      },
      [] {
        { Guard guard(b); }
        Guard guard(a, kFixed);
        x = 2;
      });
}
}  // namespace chain_three

namespace nested_inner_only {
int x;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
RACE(nested_inner_only) {
  Together(
      [] {
        Guard one(outer);
        { Guard two(inner, kFixed); x = 1; }
      },
      [] {
        Later();
        Guard two(inner);
        x = 2;
      });
}
}  // namespace nested_inner_only

namespace independent_sections {
int x, y, z;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
RACE(independent_sections) {
  Together(
      [] {
        if (!kFixed) x = 1;
        Guard guard(l);
        y = 1;
        if (kFixed) x = 1;
      },
      [] {
        Later();
        pthread_mutex_lock(&l);
        z = 1;
        if (kFixed) x = 2;
        pthread_mutex_unlock(&l);
        if (!kFixed) x = 2;
      });
}
}  // namespace independent_sections

namespace conflicting_sections {
int x, y;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
RACE(conflicting_sections) {
  Together(
      [] {
        if (!kFixed) x = 1;
        Guard guard(l);
        y++;
        if (kFixed) x++;
      },
      [] {
        Later();
        pthread_mutex_lock(&l);
        y++;
        if (kFixed) x++;
        pthread_mutex_unlock(&l);
        if (!kFixed) x = 2;
      });
}
}  // namespace conflicting_sections
