// A class with its own mutex type, a guard object, and methods that require the lock.
#include <mutex>
#include <thread>

#include "attributes.h"
class CAPABILITY Mutex {
 public:
  void Lock() { inner_.lock(); }
  void Unlock() { inner_.unlock(); }

 private:
  long spare_ = 0;
  std::mutex inner_;
};
class Hold {
 public:
  explicit Hold(Mutex* mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~Hold() { mutex_->Unlock(); }

 private:
  Mutex* mutex_;
};
class Counter {
 public:
  void Add(int by) {
    Hold hold(&mutex_);
    AddLocked(by);
  }
  int Get() {
#ifdef FIXED
    Hold hold(&mutex_);
#endif
    return value_;  // WRONG value_
  }
  void Twice() {
#ifdef FIXED
    Hold hold(&mutex_);
#endif
    AddLocked(2);  // WRONG AddLocked
  }

 private:
  void AddLocked(int by) REQUIRES(mutex_);
  Mutex mutex_;
  int value_ GUARDED_BY(mutex_) = 0;
};
void Counter::AddLocked(int by) { value_ += by; }
Counter counter;
int main() {
  std::thread one([] { counter.Add(1); }), two([] { counter.Twice(); });
  int seen = counter.Get();
  one.join();
  two.join();
  return seen > 9;
}
