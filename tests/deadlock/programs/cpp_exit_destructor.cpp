// exit under a lock runs the destructor of a global object, which takes the lock.
// expect: self A-B
#include <mutex>
#include <stdlib.h>
std::mutex a;
struct Log {
  ~Log() {
    std::lock_guard<std::mutex> l(a);  //@ B
  }
};
Log log_file;
int main(int argc, char**) {
  std::lock_guard<std::mutex> l(a);  //@ A
  if (argc > 1) exit(2);
}
