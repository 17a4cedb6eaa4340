// Wrong orders that are no races: parts that are meant to be atomic and are interleaved, memory that is used when it is
// freed or not yet set. Everything is under a lock or atomic.
#include "harness.h"

// A part that is meant to be atomic. Without heddle's runtime the events do nothing.
extern "C" __attribute__((weak)) void heddle_event(const char* name, long value);
struct Atomic {
  Atomic() {
    if (heddle_event != nullptr) heddle_event("atomic_begin", 0);
  }
  ~Atomic() {
    if (heddle_event != nullptr) heddle_event("atomic_end", 0);
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
};

namespace {
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
int x;
volatile int sink;
std::atomic<int> a{0};

int Get() {
  Guard hold(m);
  return x;
}
void Set(int value) {
  Guard hold(m);
  x = value;
}
}  // namespace

// Read, write of another, write: an update is lost.
ATOMICITY(lost_update) {
  auto add = [] {
    Guard hold(outer, kFixed);
    Atomic part;
    Set(Get() + 1);
  };
  Together(add, add);
}

// Read, write of another, read: two answers to one question.
ATOMICITY(two_answers) {
  Together(
      [] {
        Guard hold(outer, kFixed);
        Atomic part;
        int first = Get();
        sink = first + Get();
      },
      [] {
        Guard hold(outer, kFixed);
        Set(3);
      });
}

// Write, read of another, write: what was never meant to be seen is.
ATOMICITY(half_done_seen) {
  Together(
      [] {
        Guard hold(outer, kFixed);
        Atomic part;
        Set(-1);
        Set(2);
      },
      [] {
        Guard hold(outer, kFixed);
        sink = Get();
      });
}

// Write, write of another, read.
ATOMICITY(overwritten_before_read) {
  Together(
      [] {
        Guard hold(outer, kFixed);
        Atomic part;
        Set(1);
        sink = Get();
      },
      [] {
        Guard hold(outer, kFixed);
        Set(2);
      });
}

// Write, write of another, write.
ATOMICITY(written_between) {
  Together(
      [] {
        Guard hold(outer, kFixed);
        Atomic part;
        Set(1);
        Set(4);
      },
      [] {
        Guard hold(outer, kFixed);
        Set(2);
      });
}

ATOMICITY(atomic_in_two_steps) {
  auto add = [] {
    Atomic part;
    if (kFixed) {
      a.fetch_add(1);
    } else {
      int copy = a.load();
      a.store(copy + 1);
    }
  };
  Together(add, add);
}

ATOMICITY(read_lock_then_write_lock) {
  auto add = [] {
    if (kFixed) {
      pthread_rwlock_wrlock(&rw);
      Atomic part;
      x = x + 1;
      pthread_rwlock_unlock(&rw);
      return;
    }
    Atomic part;
    pthread_rwlock_rdlock(&rw);
    int copy = x;
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    x = copy + 1;
    pthread_rwlock_unlock(&rw);
  };
  Together(add, add);
}

ATOMICITY(third_thread_between) {
  auto idle = [] { Guard hold(m); };
  Together(
      [] {
        Guard hold(outer, kFixed);
        Atomic part;
        Set(Get() * 2);
      },
      idle,
      [] {
        Guard hold(outer, kFixed);
        Set(5);
      });
}

// The same without being told what is meant to be atomic: what is written does not depend on what came meanwhile.
STALE(stale_copy) {
  auto add = [] {
    pthread_mutex_lock(&m);
    int copy = x;
    if (!kFixed) {
      pthread_mutex_unlock(&m);
      pthread_mutex_lock(&m);
    }
    x = copy + 1;
    pthread_mutex_unlock(&m);
  };
  Together(add, add);
}

STALE(stale_atomic) {
  auto add = [] {
    if (kFixed) {
      a.fetch_add(1);
    } else {
      a.store(a.load() + 1);
    }
  };
  Together(add, add);
}

STALE(looked_at_again) {
  auto set = [] {
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_unlock(&m);
    if (seen != 0) return;
    pthread_mutex_lock(&m);
    if (!kFixed || x == 0) x = 7;
    pthread_mutex_unlock(&m);
  };
  Together(set, [] {
    Guard hold(m);
    x = 9;
  });
}

namespace {
struct Box {
  int value;
  int other;
};
Box* box;
sem_t ready;
}  // namespace

// Both under the lock, but nothing says that the use comes first.
ORDER(freed_before_use) {
  box = static_cast<Box*>(malloc(sizeof(Box)));
  box->value = 1;
  Box* mine = box;
  auto use = [mine] {
    Guard hold(m);
    sink = mine->value;
  };
  auto drop = [mine] {
    Guard hold(m);
    free(mine);
  };
  if (kFixed) {
    std::thread(use).join();
    std::thread(drop).join();
  } else {
    Together(use, drop);
  }
}

ORDER(freed_before_write) {
  Box* mine = static_cast<Box*>(malloc(sizeof(Box)));
  sem_init(&ready, 0, 0);
  Together(
      [mine] {
        {
          Guard hold(m);
          mine->value = 5;
        }
        sem_post(&ready);
      },
      [mine] {
        if (kFixed) sem_wait(&ready);
        Guard hold(m);
        free(mine);
      });
}

// The block is there, its contents are not.
ORDER(read_before_set) {
  Box* mine = static_cast<Box*>(malloc(sizeof(Box)));
  if (kFixed) mine->value = 3;
  Together(
      [mine] {
        Guard hold(m);
        mine->value = 3;
      },
      [mine] {
        Guard hold(m);
        sink = mine->value;
      });
  free(mine);
}

ORDER(half_built) {
  Box* mine = static_cast<Box*>(malloc(sizeof(Box)));
  mine->value = 1;
  sem_init(&ready, 0, 0);
  Together(
      [mine] {
        if (!kFixed) sem_post(&ready);
        {
          Guard hold(m);
          mine->other = 2;
        }
        if (kFixed) sem_post(&ready);
      },
      [mine] {
        sem_wait(&ready);
        Guard hold(m);
        sink = mine->value + mine->other;
      });
  free(mine);
}
