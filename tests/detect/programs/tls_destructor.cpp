// Destructors of thread-local objects run before the join.
#include <thread>
int data;
struct Last {
  ~Last() { data = 1; }
  int x = 0;
};
thread_local Last last;
int main() {
  std::thread a([] { last.x = 1; });
#ifdef BUG
  data = 2;
  a.join();
#else
  a.join();
  data = 2;
#endif
}
