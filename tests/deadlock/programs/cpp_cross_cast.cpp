// A virtual function of another base class, which dynamic_cast finds at another place of the object.
// expect: cycle A-B C-D
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
    a_lock.lock();  //@ D
    a_lock.unlock();
  }
};
static Named* Make() { return new Both; }
static void One() {
  std::lock_guard<std::mutex> a(a_lock);  //@ A
  std::lock_guard<std::mutex> b(b_lock);  //@ B
}
static void Two() {
  Named* named = Make();
  std::lock_guard<std::mutex> b(b_lock);  //@ C
  dynamic_cast<Worker*>(named)->Work();
}
int main() {
  std::thread one(One), two(Two);
  one.join();
  two.join();
}
