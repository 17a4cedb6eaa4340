// operator new of the program locks; nothing is held where it is called.
// expect: none
#include <mutex>
#include <new>
#include <stdlib.h>
std::mutex a;
int x;
void* operator new(size_t bytes) {
  std::lock_guard<std::mutex> l(a);
  x++;
  return malloc(bytes);
}
void operator delete(void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
int* kept;
int main() {
  kept = new int(3);
}
