// Blocks of operator new, plain, array and aligned.
#include <cstdlib>
#include <new>

#include "check.h"

struct alignas(128) Wide {
  char bytes[1280];
};

static void* volatile keep;

int main() {
  int* one = new int(1);
  keep = one;
  delete one;
  auto* many = new char[3001];
  keep = many;
  delete[] many;
  auto* wide = new Wide;
  CHECK(reinterpret_cast<unsigned long>(wide) % 128 == 0);
  keep = wide;
  delete wide;
  std::puts("done");
}
