#include "litmus/sim/guesses.h"

#include <algorithm>

#include "litmus/sim/parts.h"

namespace heddle::litmus {
namespace {

bool IsConstant(const Thread& thread, int expr) { return thread.exprs[static_cast<size_t>(expr)].op == Op::kConst; }

class Guesses {
 public:
  Guesses(const Test& test, const TraceSet& traces, Values& values) : test_(test), values_(values) {
    for (size_t t = 0; t < test.threads.size(); ++t) Unreached(test.threads[t], traces.threads[t]);
    if (!copied_) return;
    for (const Prop& prop : test.props) {
      if (prop.kind == Prop::Kind::kCompare && prop.left >= 0 && prop.right < 0) Asked(prop);
    }
  }
  bool any() const { return any_; }

 private:
  void Unreached(const Thread& thread, const std::vector<Trace>& traces) {
    std::vector<bool> reached(thread.code.size(), false);
    for (const Trace& trace : traces) {
      for (const Event& event : trace.events) reached[static_cast<size_t>(event.instr)] = true;
    }
    for (size_t i = 0; i < thread.code.size(); ++i) {
      const Instr& instr = thread.code[i];
      if (instr.kind != Instr::Kind::kStore && instr.kind != Instr::Kind::kRmw) continue;
      bool constant = IsConstant(thread, instr.value);
      copied_ = copied_ || !constant || !reached[i];
      if (!constant || reached[i]) continue;
      int64_t value = thread.exprs[static_cast<size_t>(instr.value)].imm;
      int cell = IsConstant(thread, instr.addr) ? test_.CellAt(thread.exprs[static_cast<size_t>(instr.addr)].imm) : -1;
      if (cell >= 0) {
        Guess(cell, value);
      } else {
        GuessAll(value);
      }
    }
  }

  void Asked(const Prop& prop) {
    const Observed& observed = test_.observed[static_cast<size_t>(prop.left)];
    if (observed.thread < 0) {
      for (int part = 0; part < observed.parts; ++part) Guess(observed.index + part, prop.right_value);
      return;
    }
    auto known = [&](const auto& values) { return values.contains(prop.right_value); };
    if (std::none_of(values_.begin(), values_.end(), known)) GuessAll(prop.right_value);
  }

  void GuessAll(int64_t value) {
    for (size_t cell = 0; cell < test_.cells.size(); ++cell) Guess(static_cast<int>(cell), value);
  }

  // Of a divided location: the part of the value.
  void Guess(int index, int64_t value) {
    const Cell& cell = test_.cells[static_cast<size_t>(index)];
    if (cell.part) {
      auto bits = static_cast<uint64_t>(8 * (cell.address % kLocationStride));
      value = bits >= 64 ? 0 : Masked(static_cast<int64_t>(static_cast<uint64_t>(value) >> bits), cell.size);
    }
    auto& known = values_[static_cast<size_t>(cell.physical)];
    any_ = known.emplace(value, Ways{Reads()}).second || any_;
  }

  const Test& test_;
  Values& values_;
  bool copied_ = false;
  bool any_ = false;
};

}  // namespace

bool AddGuesses(const Test& test, const TraceSet& traces, Values& values) {
  return Guesses(test, traces, values).any();
}

}  // namespace heddle::litmus
