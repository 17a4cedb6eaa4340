#include "parts.h"
int cache_limit = 3;
int cached_value(int x) {
  int y = x + 1;
  return y * cache_limit;
}
