// A virtual function of the exception that was caught takes a lock.
#include <exception>
#include <mutex>
#include <thread>
std::mutex a, b;
const char* seen;
struct Failure : std::exception {
  const char* what() const noexcept override {
    std::lock_guard<std::mutex> guard(b);  //@ B
    return "failure";
  }
};
void Work() {
  std::lock_guard<std::mutex> guard(a);  //@ A
  try {
    throw Failure();
  } catch (const std::exception& failure) {
    seen = failure.what();
  }
}
void Other() {
  std::lock_guard<std::mutex> one(b);  //@ C
  std::lock_guard<std::mutex> two(a);  //@ D
}
int main() {
  std::thread worker(Work), other(Other);
  worker.join();
  other.join();
}
// expect: cycle A-B C-D
