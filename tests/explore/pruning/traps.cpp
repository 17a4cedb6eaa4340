// Sections of a lock that look as if their order did not matter. In one order they lead to a race, in the other they do
// not, and the first execution is one without it.
// EXPLORE: -DREAD_AND_ADD -> findings=data-race options=--goal,race
// EXPLORE: -DREAD_AND_ADD -O0 -> findings=data-race options=--goal,race
// EXPLORE: -DREAD_AND_ADD -O2 -> findings=data-race options=--goal,race
// EXPLORE: -DDOUBLED -> findings=data-race options=--goal,race
// EXPLORE: -DDOUBLED -O0 -> findings=data-race options=--goal,race
// EXPLORE: -DNARROW -> findings=data-race options=--goal,race
// EXPLORE: -DMAP -> findings=data-race options=--goal,race
// EXPLORE: -DOUTSIDE -> findings=data-race bounded options=--goal,race
// EXPLORE: -DBETWEEN -> findings=data-race options=--goal,race
// EXPLORE: -DINDEX -> findings=data-race options=--goal,race
// EXPLORE: -DSUM -> executions=1 options=--goal,race
// EXPLORE: -DSUM -O0 -> executions=1 options=--goal,race
// EXPLORE: -DSUM -O2 -> executions=1 options=--goal,race
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

static std::mutex lock;
static int shared_value;
int unprotected;

#if defined(READ_AND_ADD)
// What the second reads is also what it adds to.
static int First() { return shared_value += 1, 0; }
static int Second() {
  int old = shared_value;
  shared_value = old + 1;
  return old == 0;
}
#elif defined(DOUBLED)
// Neither order of doubling and adding gives what the other does.
static int First() { return shared_value += 1, 0; }
static int Second() { return shared_value *= 2, 0; }
#elif defined(NARROW)
// Adding to a part of a number does not carry.
static int First() { return shared_value += 0xFFFF, 0; }
static int Second() {
  short* low = reinterpret_cast<short*>(&shared_value);
  return *low = static_cast<short>(*low + 1), 0;
}
#elif defined(MAP)
// The tree is changed by code of the library, which is not instrumented.
static std::map<int, int> tree;
static int First() { return tree.emplace(1, 1), 0; }
static int Second() { return tree.find(1) == tree.end() ? 1 : 0; }
#elif defined(OUTSIDE)
// The environment is memory of the C library.
static int First() { return setenv("HEDDLE_TEST_VALUE", "1", 1); }
static int Second() { return getenv("HEDDLE_TEST_VALUE") == nullptr ? 1 : 0; }
#elif defined(BETWEEN)
// The sections commute; what stands before the one and behind the other is ordered only when they come in this order.
static int First() { return shared_value += 1, 0; }
static int Second() { return shared_value += 1, 1; }
#elif defined(INDEX)
// The number decides no branch, but which element is written.
static int places[2];
static int First() { return shared_value += 1, 0; }
static int Second() { return places[shared_value] = 1, 1 - shared_value; }
#else
static int First() { return shared_value += 3, 0; }
static int Second() { return shared_value -= 2, 0; }
#endif

int main() {
  std::thread one([] {
    unprotected = 1;
    std::lock_guard hold(lock);
    First();
  });
  std::thread two([] {
    bool wrong = false;
    {
      std::lock_guard hold(lock);
      wrong = Second() != 0;
    }
    if (wrong) unprotected = 2;
  });
  one.join();
  two.join();
#if defined(DOUBLED) || defined(NARROW)
  int wanted = shared_value;
  std::thread three([wanted] {
    if (wanted == 1 || wanted == 0x10000) unprotected = 3;
  });
  unprotected = 4;
  three.join();
#endif
  return shared_value == 99 ? unprotected : 0;
}
