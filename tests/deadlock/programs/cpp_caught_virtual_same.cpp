// A virtual function of the exception that was caught takes a lock, in the order of all.
#include <exception>
#include <mutex>
#include <thread>
std::mutex a, b;
const char* seen;
struct Failure : std::exception {
  const char* what() const noexcept override {
    std::lock_guard<std::mutex> guard(b);
    return "failure";
  }
};
void Work() {
  std::lock_guard<std::mutex> guard(a);
  try {
    throw Failure();
  } catch (const std::exception& failure) {
    seen = failure.what();
  }
}
void Other() {
  std::lock_guard<std::mutex> one(a);
  std::lock_guard<std::mutex> two(b);
}
int main() {
  std::thread worker(Work), other(Other);
  worker.join();
  other.join();
}
// expect: none
