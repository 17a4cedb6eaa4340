// A memory resource of the program's own is called by one of the library.
#include <memory_resource>
#include <mutex>
std::mutex lock;
struct Counted : std::pmr::memory_resource {
  void* do_allocate(size_t bytes, size_t) override {
    std::lock_guard<std::mutex> guard(lock);  //@ B
    return ::operator new(bytes);
  }
  void do_deallocate(void* memory, size_t, size_t) override { ::operator delete(memory); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};
Counted counted;
int main() {
  std::pmr::monotonic_buffer_resource buffer(16, &counted);
  lock.lock();  //@ A
  void* memory = buffer.allocate(100);
  lock.unlock();
  return memory == nullptr;
}
// expect: self A-B
