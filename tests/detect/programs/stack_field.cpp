// A field of a variable on the stack that another thread has a reference to. (clang with the plugin only.)
#include <thread>

struct State {
  long number;
  bool stop = false;
};

int main() {
  State state{3};
  std::thread thread([&state] { state.stop = true; });
#ifdef BUG
  state.stop = true;
#endif
  thread.join();
  return state.number == 3 ? 0 : 2;
}
