/* Each form of instrumentation that a compiler makes of C: all sizes, unaligned, volatile, atomics, memory functions. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;
typedef int vector __attribute__((vector_size(16)));
struct __attribute__((packed)) packed {
  char first;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  uint128 sixteen;
};

#define PLAIN(type, name)                                     \
  type name##_plain;                                          \
  volatile type name##_volatile;                              \
  void Plain_##name(void) {                                   \
    name##_plain = name##_plain + (type)1;                    \
    name##_volatile = name##_volatile + (type)1;              \
  }
PLAIN(uint8_t, b1)
PLAIN(uint16_t, b2)
PLAIN(uint32_t, b4)
PLAIN(uint64_t, b8)

vector wide;
struct packed odd;
volatile struct packed odd_volatile;
char from[512], to[512];
struct block {
  char bytes[400];
} one, two;

void Unaligned(void) {
  odd.two++;
  odd.four++;
  odd.eight++;
  odd.sixteen++;
  odd_volatile.two++;
  odd_volatile.four++;
  odd_volatile.eight++;
}

uint64_t ReadUnaligned(void) { return odd.eight + odd.four; }

void Memory(size_t bytes) {
  wide = wide + wide;
  memcpy(to, from, bytes);
  memmove(to + 1, to, bytes);
  memset(to, 0, bytes);
  one = two;
}

#define ATOMIC(type, name)                                                                                  \
  type name##_atomic __attribute__((aligned(sizeof(type))));                                                \
  void Atomic_##name(int order) {                                                                           \
    type value = __atomic_load_n(&name##_atomic, __ATOMIC_ACQUIRE);                                         \
    __atomic_store_n(&name##_atomic, value, __ATOMIC_RELEASE);                                              \
    value = __atomic_exchange_n(&name##_atomic, value, order);                                              \
    value += __atomic_fetch_add(&name##_atomic, 1, __ATOMIC_RELAXED);                                       \
    value += __atomic_fetch_sub(&name##_atomic, 1, __ATOMIC_ACQ_REL);                                       \
    value += __atomic_fetch_and(&name##_atomic, 7, __ATOMIC_SEQ_CST);                                       \
    value += __atomic_fetch_or(&name##_atomic, 7, __ATOMIC_SEQ_CST);                                        \
    value += __atomic_fetch_xor(&name##_atomic, 7, __ATOMIC_SEQ_CST);                                       \
    value += __atomic_fetch_nand(&name##_atomic, 7, __ATOMIC_SEQ_CST);                                      \
    __atomic_compare_exchange_n(&name##_atomic, &value, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);          \
    __atomic_compare_exchange_n(&name##_atomic, &value, 2, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED);          \
    __sync_val_compare_and_swap(&name##_atomic, value, 3);                                                  \
    __sync_fetch_and_add(&name##_atomic, 1);                                                                \
  }
ATOMIC(uint8_t, b1)
ATOMIC(uint16_t, b2)
ATOMIC(uint32_t, b4)
ATOMIC(uint64_t, b8)
ATOMIC(uint128, b16)

int main(void) {
  Plain_b1();
  Plain_b2();
  Plain_b4();
  Plain_b8();
  Unaligned();
  Memory(300);
  Atomic_b1(__ATOMIC_SEQ_CST);
  Atomic_b2(__ATOMIC_SEQ_CST);
  Atomic_b4(__ATOMIC_SEQ_CST);
  Atomic_b8(__ATOMIC_SEQ_CST);
  Atomic_b16(__ATOMIC_SEQ_CST);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_seq_cst);
  return 0;
}
