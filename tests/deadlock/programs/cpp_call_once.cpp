// call_once under a lock that its function takes.
// expect: self A-B
#include <mutex>
#include <thread>
std::once_flag flag;
std::mutex m;
int x;
void one() {
  std::lock_guard<std::mutex> l(m);  //@ A
  std::call_once(flag, [] {
    std::lock_guard<std::mutex> inner(m);  //@ B
    x++;
  });
}
void two() {

}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
