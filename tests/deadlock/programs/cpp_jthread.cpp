// jthread joins at the end of its scope.
// expect: none
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {
  std::lock_guard<std::mutex> a(a_mutex);
  std::lock_guard<std::mutex> b(b_mutex);
  x++;
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);
  std::lock_guard<std::mutex> a(a_mutex);
  x++;
}
int main() {
  { std::jthread a(one); }
  two();
}
