// The same, without the lock.
// expect: none
#include <mutex>
#include <stdlib.h>
std::mutex a;
struct Log {
  ~Log() { std::lock_guard<std::mutex> l(a); }
};
Log log_file;
int main(int argc, char**) {
  { std::lock_guard<std::mutex> l(a); }
  if (argc > 1) exit(2);
}
