// The destructor of an exception object takes two locks as main does.
// expect: none
#include <mutex>
#include <thread>
std::mutex a, b;
int x;
void second() {
  std::lock_guard<std::mutex> l(a);
  std::lock_guard<std::mutex> m(b);
  x++;
}
struct Failure {
  ~Failure() { second(); }
};
void work() {
  try {
    throw Failure();
  } catch (...) {
    x--;
  }
}
int main() {
  std::jthread t(work);
  std::lock_guard<std::mutex> l(a);  //@ A
  std::lock_guard<std::mutex> m(b);  //@ B
  x++;
}
