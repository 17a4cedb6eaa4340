// Races on parts of words, on heap and stack memory, around the life of threads, in queues and pools, with atomics.
#include <memory>

#include "harness.h"

namespace byte_overlap {
union Both {
  int word;
  char bytes[8];
} u;
RACE(byte_overlap) {
  Together([] { u.word = 1; }, [] { u.bytes[kFixed ? 4 : 3] = 2; });
}
}  // namespace byte_overlap

namespace array_border {
int cells[8];
void Fill(int from, int to) {
  for (int i = from; i < to; i++) cells[i] = i;
}
RACE(array_border) {
  Together([] { Fill(0, kFixed ? 4 : 5); }, [] { Fill(4, 8); });
}
}  // namespace array_border

namespace copied_range {
char text[32];
RACE(copied_range) {
  Together([] { memset(text, 'a', kFixed ? 16 : 17); }, [] { text[16] = 'b'; });
}
}  // namespace copied_range

namespace bit_fields {
struct Fields {
  int a : 4;
  int b : 4;
  int c;
} s;
RACE(bit_fields) {
  Together([] { s.a = 1; },
           [] {
             if (kFixed) {
               s.c = 2;
             } else {
               s.b = 2;
             }
           });
}
}  // namespace bit_fields

namespace published_early {
struct Node {
  int value = 0;
};
Node* shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int seen;
RACE(published_early) {
  Together(
      [] {
        Node* node = new Node;
        if (kFixed) node->value = 5;
        {
          Guard guard(m);
          shared = node;
        }
        if (!kFixed) node->value = 5;
      },
      [] {
        Later();
        Node* node = nullptr;
        {
          Guard guard(m);
          node = shared;
        }
        if (node != nullptr) seen = node->value;
      });
}
}  // namespace published_early

namespace freed_by_other {
int* block;
Sem done(0);
int seen;
RACE(freed_by_other) {
  block = new int(3);
  std::thread reader([] {
    seen = *block;
    done.Post();
  });
  if (kFixed) done.Wait();
  Later();
  delete block;
  reader.join();
}
}  // namespace freed_by_other

namespace freed_under_lock {
int* block;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int seen;
RACE(freed_under_lock) {
  block = new int(3);
  Together(
      [] {
        if (!kFixed) seen = *block;
        Guard guard(m);
        if (kFixed && block != nullptr) seen = *block;
      },
      [] {
        Later();
        Guard guard(m);
        delete block;
        block = nullptr;
      });
}
}  // namespace freed_under_lock

namespace reused_block {
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared;
RACE(reused_block) {
  auto body = [] {
    std::unique_ptr<int> own(new int(1));
    *own = 2;
    own.reset();
    Guard guard(m, kFixed);
    shared++;
  };
  Together(body, body);
}
}  // namespace reused_block

namespace local_passed {
RACE(local_passed) {
  int local = 0;
  std::thread worker([&local] { local = 1; });
  if (kFixed) worker.join();
  local = 2;
  if (!kFixed) worker.join();
}
}  // namespace local_passed

namespace read_before_join {
int result, seen;
RACE(read_before_join) {
  std::thread worker([] { result = 1; });
  Later();
  if (!kFixed) seen = result;
  worker.join();
  if (kFixed) seen = result;
}
}  // namespace read_before_join

namespace detached {
int result, seen;
Sem done(0);
RACE(detached) {
  std::thread([] {
    if (kFixed) result = 1;
    done.Post();
    if (!kFixed) result = 1;
  }).detach();
  done.Wait();
  Later();
  seen = result;
}
}  // namespace detached

namespace write_after_fork {
int config, seen;
RACE(write_after_fork) {
  if (kFixed) config = 1;
  std::thread worker([] { seen = config; });
  if (!kFixed) config = 1;
  worker.join();
}
}  // namespace write_after_fork

namespace joined_the_other {
int x;
RACE(joined_the_other) {
  std::thread one([] { x = 1; });
  std::thread two([] {});
  (kFixed ? one : two).join();
  x = 2;
  (kFixed ? two : one).join();
}
}  // namespace joined_the_other

namespace grandchild {
int x;
std::thread inner;
RACE(grandchild) {
  std::thread outer([] {
    inner = std::thread([] { x = 1; });
    if (kFixed) inner.join();
  });
  outer.join();
  x = 2;
  if (!kFixed) inner.join();
}
}  // namespace grandchild

namespace pool_sum {
int next, sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void Work() {
  while (true) {
    pthread_mutex_lock(&m);
    int task = next++;
    if (kFixed) sum += task;
    pthread_mutex_unlock(&m);
    if (task >= 4) return;
    if (!kFixed) sum += task;
    Later();
  }
}
RACE(pool_sum) { Together(Work, Work); }
}  // namespace pool_sum

namespace queue_size {
int count, seen;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(queue_size) {
  Together(
      [] {
        for (int i = 0; i < 3; i++) {
          Guard guard(m);
          count++;
        }
      },
      [] {
        Later();
        { Guard guard(m); }
        Guard guard(m, kFixed);
        seen = count;
      });
}
}  // namespace queue_size

namespace changed_after_push {
struct Item {
  int value = 0;
};
Item item;
Item* slot;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
Sem filled(0);
int seen;
RACE(changed_after_push) {
  Together(
      [] {
        if (kFixed) item.value = 1;
        {
          Guard guard(m);
          slot = &item;
        }
        filled.Post();
        if (!kFixed) item.value = 1;
      },
      [] {
        filled.Wait();
        Item* got = nullptr;
        {
          Guard guard(m);
          got = slot;
        }
        seen = got->value;
      });
}
}  // namespace changed_after_push

namespace stop_flag {
bool plain_stop;
std::atomic<bool> stop;
int rounds;
RACE(stop_flag) {
  Together(
      [] {
        for (int i = 0; i < 3; i++) {
          if (kFixed ? stop.load() : plain_stop) return;
          usleep(1);
          rounds++;
        }
      },
      [] {
        if (kFixed) {
          stop = true;
        } else {
          plain_stop = true;
        }
      });
}
}  // namespace stop_flag

namespace two_queues {
int moved;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
RACE(two_queues) {
  Together(
      [] {
        { Guard guard(a); }
        Guard guard(b);
        moved++;
      },
      [] {
        Later();
        { Guard guard(b); }
        Guard guard(kFixed ? b : a);
        moved++;
      });
}
}  // namespace two_queues

namespace relaxed_publish {
int data, seen;
std::atomic<bool> ready;
RACE(relaxed_publish) {
  Together(
      [] {
        data = 1;
        ready.store(true, kFixed ? std::memory_order_release : std::memory_order_relaxed);
      },
      [] {
        while (!ready.load(kFixed ? std::memory_order_acquire : std::memory_order_relaxed)) std::this_thread::yield();
        seen = data;
      });
}
}  // namespace relaxed_publish

namespace atomic_and_plain {
int x;
int seen;
RACE(atomic_and_plain) {
  Together([] { __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); },
           [] { seen = kFixed ? __atomic_load_n(&x, __ATOMIC_SEQ_CST) : x; });
}
}  // namespace atomic_and_plain

namespace outside_once {
int config;
std::once_flag once;
RACE(outside_once) {
  auto body = [] {
    std::call_once(once, [] { config = 1; });
    if (!kFixed) config = 2;
  };
  Together(body, body);
}
}  // namespace outside_once

namespace same_slot {
int slots[4];
std::atomic<int> next;
RACE(same_slot) {
  auto body = [] {
    int mine = next.fetch_add(1);
    slots[mine % (kFixed ? 4 : 2)] = mine;
  };
  Together(body, body, body, body);
}
}  // namespace same_slot

namespace atomic_gate_unused {
int x;
std::atomic<int> gate;
RACE(atomic_gate_unused) {
  Together(
      [] {
        x = 1;
        gate.store(1);
      },
      [] {
        Later();
        int open = gate.load();
        if (open == 1 || !kFixed) x = 2;
      });
}
}  // namespace atomic_gate_unused

namespace copied_pointer {
int value;
std::shared_ptr<int> shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(copied_pointer) {
  shared = std::make_shared<int>(1);
  auto body = [] {
    std::shared_ptr<int> own;
    {
      Guard guard(m);
      own = shared;
    }
    Guard guard(m, kFixed);
    *own += 1;
  };
  Together(body, body);
}
}  // namespace copied_pointer

namespace three_writers {
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
RACE(three_writers) {
  auto locked = [] {
    Guard guard(m);
    x++;
  };
  Together(locked, locked, [] {
    Later();
    { Guard guard(m); }
    Guard guard(m, kFixed);
    x = 0;
  });
}
}  // namespace three_writers
