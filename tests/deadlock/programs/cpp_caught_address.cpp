// The exception carries the address of the lock to take.
#include <mutex>
#include <thread>
std::mutex a, b;
struct Wanted {
  std::mutex* lock;
};
void Work() {
  a.lock();  //@ A
  try {
    throw Wanted{&b};
  } catch (Wanted& wanted) {
    wanted.lock->lock();  //@ B
    wanted.lock->unlock();
  }
  a.unlock();
}
void Other() {
  b.lock();  //@ C
  a.lock();  //@ D
  a.unlock();
  b.unlock();
}
int main() {
  std::thread worker(Work), other(Other);
  worker.join();
  other.join();
}
// expect: cycle A-B C-D
