#include "litmus/syntax/builder.h"

#include "base/near.h"

namespace heddle::litmus {
namespace {

int NewCell(Test& test, std::string name, int64_t address) {
  Cell cell;
  cell.name = std::move(name);
  cell.address = address;
  cell.physical = static_cast<int>(test.cells.size());
  test.cells.push_back(std::move(cell));
  return static_cast<int>(test.cells.size()) - 1;
}

int64_t NextAddress(const Test& test) {
  if (test.cells.empty()) return kAddressBase;
  return (test.cells.back().address / kLocationStride + 1) * kLocationStride;
}

}  // namespace

int CellNamed(Test& test, std::string_view name) {
  int found = test.FindCell(name);
  if (found < 0) found = test.FindCell(std::string(name) + "[0]");
  if (found >= 0) return found;
  return NewCell(test, std::string(name), NextAddress(test));
}

void MakeArray(Test& test, std::string_view name, int count, int width) {
  int64_t base = NextAddress(test);
  for (int i = 0; i < count; ++i) {
    int cell = NewCell(test, std::string(name) + "[" + std::to_string(i) + "]", base + int64_t{i} * width);
    test.cells[static_cast<size_t>(cell)].size = width;
  }
}

int ThreadBuilder::Register(std::string_view name) {
  Thread& t = thread();
  for (size_t i = 0; i < t.registers.size(); ++i) {
    if (t.registers[i] == name) return static_cast<int>(i);
  }
  t.registers.emplace_back(name);
  t.register_init.push_back(0);
  return static_cast<int>(t.registers.size()) - 1;
}

int ThreadBuilder::Add(Expr expr) {
  thread().exprs.push_back(expr);
  return static_cast<int>(thread().exprs.size()) - 1;
}

Instr& ThreadBuilder::Emit(Instr::Kind kind) {
  thread().code.emplace_back();
  thread().code.back().kind = kind;
  return thread().code.back();
}

void ThreadBuilder::Assign(std::string_view reg, int value) {
  int number = Register(reg);
  Instr& instr = Emit(Instr::Kind::kAssign);
  instr.dst = number;
  instr.value = value;
}

void ThreadBuilder::Label(std::string_view name) {
  if (!labels_.emplace(name, static_cast<int>(thread().code.size())).second) twice_ = name;
}

void ThreadBuilder::Branch(int condition, std::string_view label) {
  Instr& instr = Emit(condition < 0 ? Instr::Kind::kJump : Instr::Kind::kBranch);
  instr.value = condition;
  jumps_.emplace_back(static_cast<int>(thread().code.size()) - 1, std::string(label));
}

Status ThreadBuilder::FinishLabels(const Cursor& cursor) {
  if (!twice_.empty()) {
    return cursor.Wrong("thread " + std::to_string(number_) + " has the label `" + twice_ + "` twice");
  }
  labels_.emplace(kEndLabel, static_cast<int>(thread().code.size()));
  for (const auto& [instr, label] : jumps_) {
    auto found = labels_.find(label);
    if (found == labels_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, at] : labels_) {
        if (name[0] != '%') known.push_back(name);
      }
      return cursor.Wrong("thread " + std::to_string(number_) + " has no label `" + label + "`",
                          DidYouMean(label, known));
    }
    thread().code[static_cast<size_t>(instr)].target = found->second;
  }
  return {};
}

}  // namespace heddle::litmus
