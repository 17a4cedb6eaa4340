// Two threads append to one string: the library writes it.
#include <mutex>
#include <string>
#include <thread>
std::string text;
std::mutex m;
int main() {
  std::thread first([] {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(m);
#endif
    text.append("some of it");  //@ A
  });
  std::thread second([] {
#ifdef FIXED
    std::lock_guard<std::mutex> guard(m);
#endif
    text.append("the rest");  //@ B
  });
  first.join();
  second.join();
}
// expect: text._M_dataplus A-B
