// What C++ adds: virtual tables, guarded statics, exceptions through instrumented frames, atomics of the library.
#include <atomic>
#include <stdexcept>

struct Base {
  virtual ~Base() {}
  virtual int Value() { return 1; }
};
struct Derived : Base {
  ~Derived() override { Value(); }
  int Value() override { return 2; }
};

static Derived& Local() {
  static Derived local;
  return local;
}

__attribute__((noinline)) static int Throws(Base* base) {
  if (base->Value() == 2) throw std::runtime_error("two");
  return 1;
}

int main() {
  std::atomic<bool> flag{false};
  std::atomic<Base*> pointer{nullptr};
  Base* base = new Derived;
  pointer.store(base);
  flag.exchange(true);
  int caught = 0;
  try {
    Throws(pointer.load());
  } catch (const std::exception&) {
    caught = Local().Value();
  }
  delete base;
  return caught == 2 ? 0 : 1;
}
