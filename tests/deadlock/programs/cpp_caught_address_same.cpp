// The exception carries the address of the lock to take, in the order of all.
#include <mutex>
#include <thread>
std::mutex a, b;
struct Wanted {
  std::mutex* lock;
};
void Work() {
  a.lock();
  try {
    throw Wanted{&b};
  } catch (Wanted& wanted) {
    wanted.lock->lock();
    wanted.lock->unlock();
  }
  a.unlock();
}
void Other() {
  a.lock();
  b.lock();
  a.unlock();
  b.unlock();
}
int main() {
  std::thread worker(Work), other(Other);
  worker.join();
  other.join();
}
// expect: none
