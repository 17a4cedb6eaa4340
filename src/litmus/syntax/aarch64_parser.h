// Internal: the reader of AArch64 instructions. aarch64.cpp tells instructions apart and has fences and branches;
// operands, memory and arithmetic have files of their own.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "litmus/syntax/parse_impl.h"

namespace heddle::litmus {

// The name in capital letters.
std::string UpperCase(std::string_view word);

class AArch64Parser : public InstructionParser {
 public:
  std::string RegisterName(std::string_view word) const override;
  Status Parse(Cursor& cursor, ThreadBuilder& thread) override;

 private:
  struct Reg {
    std::string name;
    bool word = false;
  };
  struct Form;

  static bool IsCondition(std::string_view name);
  // What the name says about the flags, as 0 or 1.
  static int Condition(ThreadBuilder& thread, std::string_view name);
  static const std::map<std::string, Form>& Forms();

  // Operands.
  Result<Reg> Register(Cursor& cursor);
  Result<std::array<Reg, 2>> TwoRegisters(Cursor& cursor);
  static int Value(ThreadBuilder& thread, const Reg& reg);
  static int Destination(ThreadBuilder& thread, const Reg& reg);
  static void Assign(ThreadBuilder& thread, const Reg& reg, int value);
  Status Comma(Cursor& cursor);
  Result<int> Address(Cursor& cursor, ThreadBuilder& thread);
  void Writeback(ThreadBuilder& thread);
  Result<int> Extended(Cursor& cursor, ThreadBuilder& thread, int value, bool word);
  Result<int64_t> Immediate(Cursor& cursor);
  Result<int> Operand(Cursor& cursor, ThreadBuilder& thread, bool last);
  static int Narrow(ThreadBuilder& thread, int value, int width);
  static int SignExtended(ThreadBuilder& thread, int value, int bits);

  // Fences, branches, prefetches.
  Status Fence(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Status Branch(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Status Prefetch(Cursor& cursor, ThreadBuilder& thread);

  // Loads, stores and atomic instructions.
  Status Pair(Cursor& cursor, ThreadBuilder& thread, bool load);
  Status ExclusivePair(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Status CompareAndSwapPair(Cursor& cursor, ThreadBuilder& thread, const std::string& suffix);
  static void SetOrders(Instr& rmw, const std::string& suffix, bool returns);
  Result<bool> Memory(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Result<bool> Atomic(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Result<bool> Rmw(Cursor& cursor, ThreadBuilder& thread, Op op, const std::string& suffix, int width, bool returns);
  static int NewValue(ThreadBuilder& thread, Op op, int given, int bits);

  // Arithmetic.
  Status Arithmetic(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  static void SetFlags(ThreadBuilder& thread, const std::string& op, int left, int right, int value, int bits);
  Result<bool> Select(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Result<bool> ConditionalCompare(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Result<bool> Bits(Cursor& cursor, ThreadBuilder& thread, const std::string& op);
  Result<bool> Rotate(Cursor& cursor, ThreadBuilder& thread, const std::string& op, const Reg& dst, int upper,
                      const std::vector<int>& operands, const std::vector<int64_t>& numbers);

  size_t begin_ = 0;
  std::string base_;  // register that the last address changes, empty: none
  int new_base_ = -1;
};

}  // namespace heddle::litmus
