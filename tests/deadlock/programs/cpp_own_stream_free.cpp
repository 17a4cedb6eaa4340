// A stream of the program's own takes a lock, and nothing is held where it is written to.
#include <mutex>
#include <ostream>
#include <streambuf>
std::mutex lock;
struct Sink : std::streambuf {
  int overflow(int c) override {
    std::lock_guard<std::mutex> guard(lock);
    return c;
  }
};
int main() {
  Sink sink;
  std::ostream out(&sink);
  out << "x";
}
// expect: none
