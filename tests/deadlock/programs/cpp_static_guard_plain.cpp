// The constructor of the static object takes no lock.
// expect: none
#include <mutex>
#include <thread>
std::mutex m;
int next() { return 3; }
struct Config {
  Config() : value(next()) {}
  int value;
};
Config& config() {
  static Config c;
  return c;
}
int x;
void one() {
  std::lock_guard<std::mutex> hold(m);
  x += config().value;
}
int main() {
  std::thread a(one), b(one);
  a.join();
  b.join();
}
