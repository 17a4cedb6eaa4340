// The first call of a function with a static object constructs it, and others wait for that.
// expect: cycle A-B C-A
#include <mutex>
#include <thread>
std::recursive_mutex m;
struct Config {
  Config() {
    std::lock_guard<std::recursive_mutex> hold(m);  //@ B
    value = 1;
  }
  int value;
};
Config& config() {
  static Config c;  //@ A
  return c;
}
int x;
void one() {
  std::lock_guard<std::recursive_mutex> hold(m);  //@ C
  x += config().value;
}
void two() { x += config().value; }
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
