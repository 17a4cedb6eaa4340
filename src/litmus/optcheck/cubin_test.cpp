#include "litmus/optcheck/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

// Cubins made by hand: a section .text.Run with instructions as ptxas encodes them.
namespace heddle::litmus {
namespace {

struct Instruction {
  uint64_t low;
  uint64_t high = 0;
};

Instruction Load(int target) { return {0x981 | uint64_t(target) << 16 | uint64_t{4} << 24}; }
Instruction Store(int value) { return {0x986 | uint64_t{4} << 24 | uint64_t(value) << 32}; }
Instruction Atomic(int target) { return {0x9a8 | uint64_t(target) << 16}; }
Instruction Move(int target, int source) { return {0x202 | uint64_t(target) << 16 | uint64_t(source) << 32}; }
Instruction Link(int value, int thread, int position, int kind) {
  return {0x810 | uint64_t{30} << 16 | uint64_t(value) << 24 |
          static_cast<uint64_t>(SpecificationNumber(thread, position, kind)) << 32};
}
Instruction Barrier() { return {0x992}; }
Instruction Other(int target) { return {0x212 | uint64_t(target) << 16}; }

std::string Cubin(const std::vector<Instruction>& code, const std::string& name = ".text.Run") {
  std::string names = std::string(1, '\0') + ".shstrtab" + '\0' + name + '\0';
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_offset = sizeof head;
  sections[1].sh_size = names.size();
  sections[2].sh_name = 11;
  sections[2].sh_offset = sizeof head + names.size();
  sections[2].sh_size = code.size() * sizeof(Instruction);
  head.e_shoff = sections[2].sh_offset + sections[2].sh_size;
  head.e_shnum = 3;
  head.e_shstrndx = 1;
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  out += names;
  out.append(reinterpret_cast<const char*>(code.data()), code.size() * sizeof(Instruction));
  out.append(reinterpret_cast<const char*>(sections), sizeof sections);
  return out;
}

std::string Verdict(const std::string& cubin, const std::vector<CubinThread>& threads) {
  Status status = CheckCubin(cubin, threads);
  if (status) return "kept";
  return (status.error().code == ErrorCode::kLimit ? "changed: " : "unknown: ") + status.error().message;
}

const std::vector<CubinThread> kTwoStores = {{{1, 1}, {0, 0}}};

TEST(Cubin, AccessesInOrderAreKept) {
  EXPECT_EQ(Verdict(Cubin({Store(5), Store(6), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), kTwoStores), "kept");
  // The adds may stand before the stores whose values they add to.
  EXPECT_EQ(Verdict(Cubin({Link(5, 0, 0, 1), Link(6, 0, 1, 1), Store(5), Store(6)}), kTwoStores), "kept");
  // A value that went through another register.
  EXPECT_EQ(
      Verdict(Cubin({Load(5), Move(7, 5), Other(5), Store(6), Link(7, 0, 0, 0), Link(6, 0, 1, 1)}), {{{0, 1}, {0, 0}}}),
      "kept");
  // A result that is stored for the harness.
  EXPECT_EQ(Verdict(Cubin({Load(5), Store(6), Store(5), Link(5, 0, 0, 0), Link(6, 0, 1, 1)}), {{{0, 1}, {0, 0}}}),
            "kept");
}

TEST(Cubin, ChangesAreTold) {
  EXPECT_EQ(Verdict(Cubin({Store(6), Store(5), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), kTwoStores),
            "changed: ptxas did not keep thread 0: access 1 (store) comes before access 0");
  EXPECT_EQ(Verdict(Cubin({Store(5), Atomic(6), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), kTwoStores),
            "changed: ptxas did not keep thread 0: access 1 is no store");
  EXPECT_EQ(Verdict(Cubin({Store(5), Store(6), Barrier(), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), {{{1, 1}, {0, 1}}}),
            "changed: ptxas did not keep thread 0: no barrier before access 1");
  EXPECT_EQ(Verdict(Cubin({Store(5), Barrier(), Store(6), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), {{{1, 1}, {0, 1}}}),
            "kept");
}

TEST(Cubin, WhatIsNotFoundIsUnknown) {
  const char* missing = "unknown: thread 0: access 1 (store) was not found in the code of ptxas";
  EXPECT_EQ(Verdict(Cubin({Store(5), Link(5, 0, 0, 1)}), kTwoStores), missing);
  EXPECT_EQ(Verdict(Cubin({Store(5), Store(6), Other(6), Link(5, 0, 0, 1), Link(6, 0, 1, 1)}), kTwoStores), missing);
  for (const std::string& bad :
       {std::string(), std::string("not a cubin"), Cubin({Store(5)}, ".text.Walk"), Cubin({Store(5)}).substr(0, 70)}) {
    EXPECT_EQ(Verdict(bad, kTwoStores), "unknown: ptxas wrote something that is not a cubin");
  }
}

}  // namespace
}  // namespace heddle::litmus
