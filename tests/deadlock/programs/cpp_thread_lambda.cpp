// Threads from lambdas with captures.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex a_mutex, b_mutex;
int x;
void one() {

}
void two() {

}
int main() {
  int n = 1;
  std::thread a([&n] {
    std::lock_guard<std::mutex> a(a_mutex);  //@ A
    std::lock_guard<std::mutex> b(b_mutex);  //@ B
    x += n;
  });
  std::thread b([n] {
    std::lock_guard<std::mutex> b(b_mutex);  //@ C
    std::lock_guard<std::mutex> a(a_mutex);  //@ D
    x += n;
  });
  a.join();
  b.join();
}
