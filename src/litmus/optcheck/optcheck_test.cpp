#include "litmus/optcheck/optcheck.h"

#include <gtest/gtest.h>

// What the check of locations rests on: marks tell which register points to which location, and accesses that changed
// places are told although their kinds are in order.
namespace heddle::litmus {
namespace {

struct Dialect {
  Machine machine;
  const char* registers[2];
  const char* copy;      // the first pointer into a third register
  const char* store[3];  // through the first, the second and the third pointer
  const char* load[2];
  const char* spoil;  // the third register gets something else
};

const Dialect kDialects[] = {
    {Machine::kX86_64,
     {"%rdi", "%rsi"},
     "movq %rdi, %rcx",
     {"movl $1, (%rdi)", "movl $1, (%rsi)", "movl $1, (%rcx)"},
     {"movl (%rdi), %eax", "movl (%rsi), %eax"},
     "addq $8, %rcx"},
    {Machine::kAArch64,
     {"x0", "x1"},
     "mov x2, x0",
     {"str w3, [x0]", "str w3, [x1]", "str w3, [x2]"},
     {"ldr w4, [x0]", "ldr w4, [x1]"},
     "add x2, x2, #8"},
    {Machine::kRiscv64,
     {"a0", "a1"},
     "mv a2, a0",
     {"sw a3, 0(a0)", "sw a3, 0(a1)", "sw a3, 0(a2)"},
     {"lw a4, 0(a0)", "lw a4, 0(a1)"},
     "addi a2, a2, 8"},
    {Machine::kPpc64le,
     {"3", "4"},
     "mr 5, 3",
     {"stw 6, 0(3)", "stw 6, 0(4)", "stw 6, 0(5)"},
     {"lwz 7, 0(3)", "lwz 7, 0(4)"},
     "addi 5, 5, 8"},
};

// What is found in the lines, after marks for location 0 and location 1.
std::vector<Access> Found(const Dialect& dialect, const std::vector<std::string>& lines) {
  LineReader reader(dialect.machine);
  for (int cell = 0; cell < 2; ++cell) reader.Line(CellMarkText(dialect.machine, dialect.registers[cell], cell));
  std::vector<Access> found;
  for (const std::string& line : lines) {
    if (std::optional<Access> access = reader.Line(line)) found.push_back(*access);
  }
  return found;
}

TEST(Optcheck, SwappedLocationsAreTold) {
  const std::vector<Access> stores = {{AccessKind::kStore, 0}, {AccessKind::kStore, 1}};
  const std::vector<Access> loads = {{AccessKind::kLoad, 0}, {AccessKind::kLoad, 1}};
  for (const Dialect& d : kDialects) {
    EXPECT_EQ(Difference(stores, Found(d, {d.store[0], d.store[1]}), false), "");
    EXPECT_EQ(Difference(stores, Found(d, {d.store[1], d.store[0]}), false),
              "the test has store of location 0, store of location 1; the program has store of location 1, store of "
              "location 0");
    EXPECT_EQ(Difference(loads, Found(d, {d.load[0], d.load[1]}), false), "");
    EXPECT_NE(Difference(loads, Found(d, {d.load[1], d.load[0]}), false), "");
  }
}

TEST(Optcheck, AMoveCarriesThePointerAndAnythingElseEndsIt) {
  const std::vector<Access> stores = {{AccessKind::kStore, 1}, {AccessKind::kStore, 0}};
  for (const Dialect& d : kDialects) {
    EXPECT_EQ(Difference(stores, Found(d, {d.copy, d.store[1], d.store[2]}), false), "");
    EXPECT_NE(Difference(stores, Found(d, {d.copy, d.store[2], d.store[1]}), false), "");
    std::vector<Access> spoilt = Found(d, {d.copy, d.spoil, d.store[2]});
    ASSERT_EQ(spoilt.size(), 1u);
    EXPECT_EQ(spoilt[0].cell, -1);
  }
}

TEST(Optcheck, KindsAndNumbersAreTold) {
  const std::vector<Access> wanted = {{AccessKind::kStore, 0}, {AccessKind::kLoad, 1}};
  for (const Dialect& d : kDialects) {
    EXPECT_EQ(Difference(wanted, Found(d, {d.store[0], d.load[1]}), false), "");
    EXPECT_NE(Difference(wanted, Found(d, {d.load[1], d.store[0]}), false), "");
    EXPECT_NE(Difference(wanted, Found(d, {d.store[0]}), false), "");
    EXPECT_NE(Difference(wanted, Found(d, {d.store[0], d.load[1], d.load[1]}), false), "");
  }
}

}  // namespace
}  // namespace heddle::litmus
