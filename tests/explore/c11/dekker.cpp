/* Dekker's entry: each announces itself and goes in when the other has not. With seq_cst stores and loads at most one
   goes in; with release and acquire both may.
   EXPLORE: -> options=--memory,c11
   EXPLORE: -DBUG -> options=--memory,c11 findings=data-race
   EXPLORE: -DBUG -> findings=none
 */
#include <atomic>
#include <thread>

#ifdef BUG
constexpr auto kStore = std::memory_order_release;
constexpr auto kLoad = std::memory_order_acquire;
#else
constexpr auto kStore = std::memory_order_seq_cst;
constexpr auto kLoad = std::memory_order_seq_cst;
#endif

std::atomic<int> flag[2];
int shared;

static void Try(int self) {
  flag[self].store(1, kStore);
  if (flag[1 - self].load(kLoad) == 0) ++shared;
}

int main() {
  std::thread a(Try, 0), b(Try, 1);
  a.join();
  b.join();
}
