// What the parsers of the languages share: cells, registers and expressions of a test that is being read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "litmus/syntax/cursor.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

// The cell of this name, made with value 0 when there is none yet.
int CellNamed(Test& test, std::string_view name);
// Makes the cells name[0] .. name[count - 1], `width` bytes each; the address of name is that of the first.
void MakeArray(Test& test, std::string_view name, int count, int width);

// The end of the thread, for instructions that end it.
inline constexpr std::string_view kEndLabel = "%return";

class ThreadBuilder {
 public:
  ThreadBuilder(Test& test, int thread) : test_(test), number_(thread) {}

  Test& test() { return test_; }
  Thread& thread() { return test_.threads[static_cast<size_t>(number_)]; }
  int number() const { return number_; }

  int Register(std::string_view name);  // made with value 0 when it is new
  int Add(Expr expr);
  int Const(int64_t value) { return Add({Op::kConst, -1, -1, value}); }
  int Reg(std::string_view name) { return Add({Op::kReg, Register(name), -1, 0}); }
  int Old() { return Add({Op::kOld, -1, -1, 0}); }
  int Binary(Op op, int a, int b) { return Add({op, a, b, 0}); }
  int Unary(Op op, int a) { return Add({op, a, -1, 0}); }
  int AddressOf(std::string_view location) {
    int cell = CellNamed(test_, location);
    return Const(test_.cells[static_cast<size_t>(cell)].address);
  }

  Instr& Emit(Instr::Kind kind);
  void Assign(std::string_view reg, int value);
  void Label(std::string_view name);                   // that it is there once is checked by FinishLabels
  void Branch(int condition, std::string_view label);  // condition -1: always
  // Fills in the targets; names the label that is missing.
  Status FinishLabels(const Cursor& cursor);

 private:
  Test& test_;
  int number_;
  std::map<std::string, int, std::less<>> labels_;
  std::vector<std::pair<int, std::string>> jumps_;
  std::string twice_;  // a label that stands at two places
};

// A thread of one column of the program, whose instructions come in one by one.
class InstructionParser {
 public:
  virtual ~InstructionParser() = default;
  // One instruction, without its label; the cursor ends where it ends.
  virtual Status Parse(Cursor& cursor, ThreadBuilder& thread) = 0;
  // The one name that a register has: W0 and X0 are X0, EAX and RAX are RAX. Empty: not a register.
  virtual std::string RegisterName(std::string_view word) const = 0;
};

}  // namespace heddle::litmus
