// A counter of references; the twin reads it a second time to decide.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=assertion
// EXPLORE: -> options=--memory,c11
// EXPLORE: -DBUG -> options=--memory,c11 findings=assertion
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> references{2};
std::atomic<int> freed{0};
void Drop() {
#ifdef BUG
  references.fetch_sub(1);
  if (references.load() == 0) freed.fetch_add(1);
#else
  if (references.fetch_sub(1) == 1) freed.fetch_add(1);
#endif
}
int main() {
  std::thread a(Drop), b(Drop);
  a.join();
  b.join();
  assert(freed == 1);
}
