/* Litmus tests under RC11 without load buffering: how many executions there are, and which outcomes never come (they
   would fail an assertion).
   EXPLORE: -DSB -> options=--memory,c11 executions=4
   EXPLORE: -DSB -DORDER=seq_cst -> options=--memory,c11 executions=3
   EXPLORE: -DSB -> executions=3
   EXPLORE: -DSB -DFENCE -> options=--memory,c11 executions=3
   EXPLORE: -DSB -DALLOWED -> options=--memory,c11 findings=assertion
   EXPLORE: -DMP -> options=--memory,c11 executions=4
   EXPLORE: -DMP -> executions=3
   EXPLORE: -DMP -DALLOWED -> options=--memory,c11 findings=assertion
   EXPLORE: -DMP -DRELEASE=release -DACQUIRE=acquire -> options=--memory,c11 executions=3
   EXPLORE: -DIRIW -> options=--memory,c11 executions=16
   EXPLORE: -DIRIW -DORDER=seq_cst -> options=--memory,c11 executions=15
   EXPLORE: -DIRIW -> executions=15
   EXPLORE: -DIRIW -DFENCE -> options=--memory,c11 executions=15
   EXPLORE: -DLB -> options=--memory,c11 executions=3
   EXPLORE: -DWRC -> options=--memory,c11 executions=8
   EXPLORE: -DWRC -DRELEASE=release -DACQUIRE=acquire -> options=--memory,c11 executions=7
   EXPLORE: -DTWOW -> options=--memory,c11 executions=4
   EXPLORE: -DTWOW -DORDER=seq_cst -> options=--memory,c11 executions=3
   EXPLORE: -DCORR -> options=--memory,c11 executions=3
   EXPLORE: -DCORR4 -> options=--memory,c11 executions=72
   EXPLORE: -DSEQUENCE -> options=--memory,c11
   EXPLORE: -DAINC -> options=--memory,c11 executions=6
 */
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ORDER
#define ORDER relaxed
#endif
#ifndef RELEASE
#define RELEASE ORDER
#endif
#ifndef ACQUIRE
#define ACQUIRE ORDER
#endif
#define OF_(order) std::memory_order_##order
#define OF(order) OF_(order)

std::atomic<int> x{0};
std::atomic<int> y{0};
int r[4];

static void Set(std::atomic<int>& at, int value) { at.store(value, OF(RELEASE)); }
static int Get(std::atomic<int>& at) { return at.load(OF(ACQUIRE)); }
static void Full() {
#ifdef FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

#ifdef SB
static void A() {
  Set(x, 1);
  Full();
  r[0] = Get(y);
}
static void B() {
  Set(y, 1);
  Full();
  r[1] = Get(x);
}
static void Check() {
#ifdef ALLOWED
  assert(r[0] == 1 || r[1] == 1);
#endif
}
#elif defined(MP)
static void A() {
  Set(x, 1);
  Set(y, 1);
}
static void B() {
  r[0] = Get(y);
  r[1] = Get(x);
}
static void Check() {
#ifdef ALLOWED
  assert(r[0] == 0 || r[1] == 1);
#endif
}
#elif defined(LB)
static void A() {
  r[0] = Get(x);
  Set(y, 1);
}
static void B() {
  r[1] = Get(y);
  Set(x, 1);
}
static void Check() { assert(r[0] == 0 || r[1] == 0); }
#elif defined(TWOW)
static void A() {
  Set(x, 1);
  Set(y, 2);
}
static void B() {
  Set(y, 1);
  Set(x, 2);
}
static void Check() {}
#elif defined(CORR)
static void A() { Set(x, 1); }
static void B() {
  r[0] = Get(x);
  r[1] = Get(x);
}
static void Check() { assert(r[0] <= r[1]); }
#elif defined(CORR4)
// Two stores, two readers: they agree on the order of the stores.
#define THREADS 4
static void A() { Set(x, 1); }
static void B() { Set(x, 2); }
static void C() {
  r[0] = Get(x);
  r[1] = Get(x);
}
static void D() {
  r[2] = Get(x);
  r[3] = Get(x);
}
static void Check() { assert(!(r[0] == 1 && r[1] == 2 && r[2] == 2 && r[3] == 1)); }
#elif defined(IRIW)
#define THREADS 4
static void A() { Set(x, 1); }
static void B() { Set(y, 1); }
static void C() {
  r[0] = Get(x);
  Full();
  r[1] = Get(y);
}
static void D() {
  r[2] = Get(y);
  Full();
  r[3] = Get(x);
}
static void Check() {}
#elif defined(WRC)
#define THREADS 3
static void A() { Set(x, 1); }
static void B() {
  r[0] = Get(x);
  Set(y, 1);
}
static void C() {
  r[1] = Get(y);
  r[2] = Get(x);
}
static void Check() {}
#elif defined(SEQUENCE)
// A relaxed read-modify-write goes on with the release sequence: who reads it sees the plain data.
#define THREADS 3
int data;
static void A() {
  data = 1;
  x.store(1, std::memory_order_release);
}
static void B() {
  int one = 1;
  x.compare_exchange_strong(one, 2, std::memory_order_relaxed);
}
static void C() {
  if (x.load(std::memory_order_acquire) == 2) assert(data == 1);
}
static void Check() {}
#elif defined(AINC)
#define THREADS 3
static void A() { x.fetch_add(1, OF(ORDER)); }
static void B() { x.fetch_add(1, OF(ORDER)); }
static void C() { x.fetch_add(1, OF(ORDER)); }
static void Check() { assert(x.load() == 3); }
#endif

int main() {
  std::thread a(A), b(B);
#if THREADS >= 3
  std::thread c(C);
#endif
#if THREADS >= 4
  std::thread d(D);
  d.join();
#endif
#if THREADS >= 3
  c.join();
#endif
  a.join();
  b.join();
  Check();
}
