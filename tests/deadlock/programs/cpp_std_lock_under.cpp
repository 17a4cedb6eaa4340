// std::lock orders its mutexes by itself, but not against one that is held before it.
// expect: cycle A-B C-D
#include <mutex>
#include <thread>
std::mutex outer, a_mutex, b_mutex;
int x;
void one() {
  outer.lock();                 //@ A
  std::lock(a_mutex, b_mutex);  //@ B
  x++;
  a_mutex.unlock();
  b_mutex.unlock();
  outer.unlock();
}
void two() {
  b_mutex.lock();  //@ C
  outer.lock();    //@ D
  x++;
  outer.unlock();
  b_mutex.unlock();
}
int main() {
  std::thread a(one), b(two);
  a.join();
  b.join();
}
