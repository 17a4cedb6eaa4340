#include "parts.h"
int main(void) { return dyn_value() == 7 ? 0 : 1; }
