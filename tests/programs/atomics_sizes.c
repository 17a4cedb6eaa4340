/* Every atomic operation at 8, 16, 32 and 64 bits. */
#include <stdatomic.h>
#include <stdint.h>

#include "check.h"

#define TEST(type, name)                                     \
  static _Atomic type name;                                  \
  static void Use_##name(void) {                             \
    atomic_store(&name, 1);                                  \
    CHECK(atomic_load(&name) == 1);                          \
    CHECK(atomic_exchange(&name, 12) == 1);                  \
    CHECK(atomic_fetch_add(&name, 3) == 12);                 \
    CHECK(atomic_fetch_sub(&name, 1) == 15);                 \
    CHECK(atomic_fetch_and(&name, 6) == 14);                 \
    CHECK(atomic_fetch_or(&name, 9) == 6);                   \
    CHECK(atomic_fetch_xor(&name, 5) == 15);                 \
    CHECK(__atomic_fetch_nand((type*)&name, 2, 5) == 10);    \
    type expected = 3;                                       \
    CHECK(!atomic_compare_exchange_strong(&name, &expected, 4)); \
    CHECK(expected == (type)~(type)2);                       \
    CHECK(atomic_compare_exchange_strong(&name, &expected, 7)); \
    CHECK(atomic_load(&name) == 7);                          \
  }

TEST(uint8_t, eight)
TEST(uint16_t, sixteen)
TEST(uint32_t, thirty_two)
TEST(uint64_t, sixty_four)

int main(void) {
  Use_eight();
  Use_sixteen();
  Use_thirty_two();
  Use_sixty_four();
  puts("done");
  return 0;
}
