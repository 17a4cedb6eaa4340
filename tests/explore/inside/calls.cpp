// Explorations within this process: exact numbers of executions, bugs and their fixed twins, and bodies that cannot be
// repeated. Prints what is not as expected; the exit code is their number.
#include <fcntl.h>
#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

int g_wrong = 0;
void Check(bool holds, const char* name, const char* what, const heddle::Exploration& seen) {
  if (holds) return;
  std::printf("%s: %s; got %s\n", name, what, seen.text().c_str());
  ++g_wrong;
}

template <typename Body>
void Holds(const char* name, unsigned long executions, Body body) {
  heddle::Exploration seen = heddle::explore({}, body);
  Check(seen.ok(), name, "should be explored without failure", seen);
  Check(seen.executions == executions, name, "another number of executions", seen);
}
template <typename Body>
void Fails(const char* name, const char* how, Body body) {
  heddle::Exploration seen = heddle::explore({}, body);
  Check(seen.failed != 0 && std::strstr(seen.failure, how) != nullptr, name, "should fail", seen);
  Check(seen.schedule[0] != '\0', name, "should have a schedule", seen);
}
template <typename Body>
void NotExplored(const char* name, const char* why, Body body) {
  heddle::Exploration seen = heddle::explore({}, body);
  Check(seen.ran == 0 && std::strstr(seen.unsupported, why) != nullptr, name, "should say why not", seen);
}

void StoreBuffering() {
  std::atomic<int> x{0}, y{0};
  int a = 0, b = 0;
  std::thread other([&] {
    x = 1;
    a = y;
  });
  y = 1;
  b = x;
  other.join();
  assert(a + b >= 1);
}

template <int kThreads, int kTimes>
void Increments() {
  std::atomic<int> sum{0};
  int found[kThreads] = {};  // or nobody could tell their order
  std::vector<std::thread> threads;
  auto add = [&](int thread) {
    for (int i = 0; i < kTimes; ++i) found[thread] += sum++;
  };
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(add, i);
  for (std::thread& thread : threads) thread.join();
  int all = 0;
  for (int one : found) all += one;
  assert(sum == kThreads * kTimes && all == sum * (sum - 1) / 2);
}

template <bool kAtOnce>
void LostUpdate() {
  std::atomic<int> sum{0};
  int found[2] = {};  // or nobody could tell the order of increments
  auto add = [&](int thread) {
    if (kAtOnce) {
      found[thread] = sum.fetch_add(1);
    } else {
      sum.store(sum.load() + 1);
    }
  };
  std::thread one(add, 0), two(add, 1);
  one.join();
  two.join();
  assert(sum == 2 && (!kAtOnce || found[0] + found[1] == 1));
}

template <bool kOrdered>
void TwoLocks() {
  std::mutex a, b;
  std::thread one([&] {
    std::lock_guard first(a);
    std::lock_guard second(b);
  });
  std::thread two([&] {
    std::lock_guard first(kOrdered ? a : b);
    std::lock_guard second(kOrdered ? b : a);
  });
  one.join();
  two.join();
}

template <bool kWaits>
void LostSignal() {
  std::mutex lock;
  std::condition_variable changed;
  bool done = false;
  std::thread other([&] {
    std::lock_guard hold(lock);
    done = true;
    changed.notify_one();
  });
  {
    std::unique_lock hold(lock);
    if (kWaits) {
      changed.wait(hold, [&] { return done; });
    } else {
      changed.wait(hold);
    }
  }
  other.join();
}

// What a body leaves behind is undone: statics, the heap, thread-local variables.
int g_left = 0;
thread_local int t_left = 0;
std::vector<std::unique_ptr<int>>& Leftovers() {
  static std::vector<std::unique_ptr<int>> all;
  return all;
}
void LeavesThingsBehind() {
  assert(g_left == 0 && t_left == 0 && Leftovers().empty());
  std::atomic<int> sum{0};
  std::thread other([&] {
    assert(t_left == 0);
    t_left = ++sum;
  });
  ++sum;
  ++g_left;
  ++t_left;
  Leftovers().push_back(std::make_unique<int>(7));
  other.join();
}

void Choices() {
  unsigned value = heddle::choose(3);
  std::atomic<unsigned> seen{0};
  std::thread other([&] { seen = value; });
  other.join();
  assert(seen < 3);
}

}  // namespace

int main() {
  Holds("store buffering", 3, StoreBuffering);
  Holds("increments 2x4", 70, Increments<2, 4>);
  Holds("increments 3x2", 90, Increments<3, 2>);
  Holds("increments 6x1: more threads than the pool has at first", 720, Increments<6, 1>);
  Holds("leftovers", 2, LeavesThingsBehind);
  Holds("choices", 3, Choices);
  Fails("lost update", "SIGABRT", LostUpdate<false>);
  Holds("no lost update", 2, LostUpdate<true>);
  Fails("two locks", "deadlock", TwoLocks<false>);
  Holds("two locks in order", 2, TwoLocks<true>);
  Fails("lost signal", "deadlock", LostSignal<false>);
  Holds("signal", 2, LostSignal<true>);
  Fails("null", "SIGSEGV", [] {
    std::atomic<int*> where{nullptr};
    int value = 0;
    std::thread other([&] { where = &value; });
    int* early = where;
    other.join();
    *early = 1;
  });
  NotExplored("a file", "open", [] { close(open("/dev/null", O_RDONLY)); });
  NotExplored("a process", "fork", [] {
    if (fork() == 0) _exit(0);
  });
  NotExplored("a thread that stays", "while threads", [] {
    static std::atomic<int> sum{0};
    std::thread([] { ++sum; }).detach();
  });
  heddle::Exploration limited = heddle::explore({5}, Increments<2, 4>);
  Check(limited.executions == 5 && limited.complete == 0 && limited.bound[0] != '\0', "limit", "should stop", limited);
  // Ordinary threads go on as before.
  int ordinary = 0;
  std::thread([&] { ordinary = 1; }).join();
  if (ordinary != 1) ++g_wrong;
  Holds("again", 70, Increments<2, 4>);
  return g_wrong;
}
