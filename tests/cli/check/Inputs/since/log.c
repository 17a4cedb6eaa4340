#include "parts.h"
static int pure(int x) { return x * 3; }
int logged(int x) { return pure(x) + 2; }
