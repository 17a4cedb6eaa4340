// The fixed twin of cpp_cross_cast.cpp: what dynamic_cast finds runs without the other lock.
// expect: none
#include <mutex>
#include <thread>
static std::mutex a_lock, b_lock;
struct Named {
  long number = 1;
  virtual ~Named() {}
};
struct Worker {
  virtual void Work() = 0;
  virtual ~Worker() {}
};
struct Both : Named, Worker {
  void Work() override {
    a_lock.lock();
    a_lock.unlock();
  }
};
static Named* Make() { return new Both; }
static void One() {
  std::lock_guard<std::mutex> a(a_lock);
  std::lock_guard<std::mutex> b(b_lock);
}
static void Two() {
  Named* named = Make();
  dynamic_cast<Worker*>(named)->Work();
}
int main() {
  std::thread one(One), two(Two);
  one.join();
  two.join();
}
