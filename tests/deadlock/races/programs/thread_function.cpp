// A std::thread of a plain function: its copy of the function's address is the new thread's alone.
// expect: counter A-B
#include <mutex>
#include <thread>

static std::mutex mutex;
static int counter;
static void Work() {
  std::lock_guard<std::mutex> hold(mutex);
  counter++;  //@ A
}
int main() {
  std::thread thread(Work);
#ifdef FIXED
  mutex.lock();
#endif
  counter++;  //@ B
#ifdef FIXED
  mutex.unlock();
#endif
  thread.join();
}
