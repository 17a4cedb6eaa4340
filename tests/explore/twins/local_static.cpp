// A function-local static; the twin's initialisation is its own.
// EXPLORE: -> findings=none
// EXPLORE: -DBUG -> findings=data-race
// EXPLORE: -> options=--memory,c11
// EXPLORE: -DBUG -> options=--memory,c11 findings=data-race
#include <thread>
#ifdef BUG
int* made;
int storage;
int& Get() {
  if (made == nullptr) {
    storage = 7;
    made = &storage;
  }
  return *made;
}
#else
int Seven() { return 7; }
int& Get() {
  static int value = Seven();
  return value;
}
#endif
int main() {
  int x = 0, y = 0;
  std::thread a([&] { x = Get(); });
  std::thread b([&] { y = Get(); });
  a.join();
  b.join();
  return x + y != 14;
}
