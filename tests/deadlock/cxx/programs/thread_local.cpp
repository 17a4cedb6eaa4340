#include <thread>
#ifdef FIXED
thread_local
#endif
    int value;
void Work() { ++value; }
int main() {
  std::thread one(Work), two(Work);
  one.join();
  two.join();
}
// expect: race value
