// Read-write locks in one counter, as Linux had them: a reader takes one from the bias, a writer all of it. With the bug
// a reader's unlock does not release: the next writer writes while the reader, for all it knows, still reads.
#include <atomic>

#include "start.h"

#ifdef BUG
constexpr auto kReaderLeaves = std::memory_order_relaxed;
#else
constexpr auto kReaderLeaves = std::memory_order_release;
#endif

class RwLock {
 public:
  void ReadLock() { Lock(1, [](int before) { return before > 0; }); }
  void ReadUnlock() { left_.fetch_add(1, kReaderLeaves); }
  void WriteLock() { Lock(kBias, [](int before) { return before == kBias; }); }
  void WriteUnlock() { left_.fetch_add(kBias, std::memory_order_release); }

 private:
  static constexpr int kBias = 0x100000;

  template <class Free>
  void Lock(int amount, Free free) {
    while (!free(left_.fetch_sub(amount, std::memory_order_acquire))) {
      left_.fetch_add(amount, std::memory_order_relaxed);
      while (!free(left_.load(std::memory_order_relaxed))) sched_yield();
    }
  }

  std::atomic<int> left_{kBias};
};

RwLock lock;
int shared_value;
int seen[2];

void Read(int me) {
  lock.ReadLock();
  seen[me] = shared_value;
  lock.ReadUnlock();
}
void Write(int value) {
  lock.WriteLock();
  shared_value = value;
  lock.WriteUnlock();
}

void First() {
  Read(0);
  Reached();
  Await(2);
  Write(1);
}
void Second() {
  Await(1);
  Read(1);
  Write(2);
  Reached();
}

int main(int argc, char** argv) { RunThreads(argc, argv, First, Second); }
