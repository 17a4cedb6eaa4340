// Clang's thread-safety attributes by the names that programs usually give them.
#include <pthread.h>
#include <stdlib.h>
#define CAPABILITY __attribute__((capability("mutex")))
#define GUARDED_BY(x) __attribute__((guarded_by(x)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define ACQUIRED_BEFORE(...) __attribute__((acquired_before(__VA_ARGS__)))
