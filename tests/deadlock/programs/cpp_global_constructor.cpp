// A constructor of a global object starts a thread.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
extern int x;
struct Starter {
  std::thread t;
  Starter();
  ~Starter() { t.join(); }
};
int x;
void one() {
  std::lock_guard<std::mutex> a(a_mutex);  //@ A
  std::lock_guard<std::mutex> b(b_mutex);  //@ B
  x++;
}
void two() {
  std::lock_guard<std::mutex> b(b_mutex);  //@ C
  std::lock_guard<std::mutex> a(a_mutex);  //@ D
  x++;
}
Starter::Starter() : t(one) {}
Starter starter;
void unused() {
}
int main() {
  two();
}
