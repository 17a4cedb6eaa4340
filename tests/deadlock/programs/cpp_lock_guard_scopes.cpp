// lock_guard in scopes of their own.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  { std::lock_guard<std::mutex> a(a_mutex); x++; }
  { std::lock_guard<std::mutex> b(b_mutex); x++; }
}
void two() {
  { std::lock_guard<std::mutex> b(b_mutex); x++; }
  { std::lock_guard<std::mutex> a(a_mutex); x++; }
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
