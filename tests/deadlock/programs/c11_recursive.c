// A recursive C11 mutex.
// expect: none
#include <threads.h>
mtx_t m;
int main() {
  mtx_init(&m, mtx_plain | mtx_recursive);
  mtx_lock(&m);
  mtx_lock(&m);
  mtx_unlock(&m);
  mtx_unlock(&m);
}
