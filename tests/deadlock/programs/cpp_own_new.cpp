// operator new of the program locks; it is called under a lock that is taken inside of it elsewhere.
// expect: self A-B
#include <mutex>
#include <new>
#include <stdlib.h>
std::mutex a;
int x;
void* operator new(size_t bytes) {
  std::lock_guard<std::mutex> l(a);  //@ B
  x++;
  return malloc(bytes);
}
void operator delete(void* p) noexcept { free(p); }
void operator delete(void* p, size_t) noexcept { free(p); }
int* kept;
int main() {
  std::lock_guard<std::mutex> l(a);  //@ A
  kept = new int(3);
}
