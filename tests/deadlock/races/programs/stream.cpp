// Two threads write numbers to one string stream. std::cout, which threads may share, is not reported.
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
std::ostringstream out;
std::mutex m;
void Write(int number) {
#ifdef FIXED
  std::lock_guard<std::mutex> guard(m);
#endif
  out << number;  //@ A
}
int main() {
  std::thread first([] { Write(1); }), second([] { Write(2); });
  std::thread third([] { std::cout << 3; }), fourth([] { std::cout << 4; });
  first.join();
  second.join();
  third.join();
  fourth.join();
}
// expect: out A-A
