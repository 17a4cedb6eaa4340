// A stream of the program's own takes the lock under which it is written to.
#include <mutex>
#include <ostream>
#include <streambuf>
std::mutex lock;
struct Sink : std::streambuf {
  int overflow(int c) override {
    std::lock_guard<std::mutex> guard(lock);  //@ B
    return c;
  }
};
int main() {
  Sink sink;
  std::ostream out(&sink);
  lock.lock();  //@ A
  out << "x";
  lock.unlock();
}
// expect: self A-B
