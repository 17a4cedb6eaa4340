#include "litmus/sim/loops.h"

namespace heddle::litmus {
namespace {

void Uses(const Thread& thread, int index, std::vector<bool>& live) {
  if (index < 0) return;
  const Expr& e = thread.exprs[static_cast<size_t>(index)];
  if (e.op == Op::kConst || e.op == Op::kOld) return;
  if (e.op == Op::kReg) {
    live[static_cast<size_t>(e.a)] = true;
    return;
  }
  Uses(thread, e.a, live);
  Uses(thread, e.b, live);
  if (e.op == Op::kSelect) Uses(thread, static_cast<int>(e.imm), live);
}

}  // namespace

std::vector<bool> InLoop(const Thread& thread) {
  std::vector<bool> loop(thread.code.size(), false);
  for (size_t i = 0; i < thread.code.size(); ++i) {
    int target = thread.code[i].target;
    if (target < 0) continue;
    for (size_t j = static_cast<size_t>(target); j <= i; ++j) loop[j] = true;
  }
  return loop;
}

void LiveRegisters::Find(const Test& test, int number) {
  const Thread& thread = test.threads[static_cast<size_t>(number)];
  size_t count = thread.code.size();
  live_.assign(count + 1, std::vector<bool>(thread.registers.size(), false));
  for (const Observed& observed : test.observed) {
    if (observed.thread == number) live_[count][static_cast<size_t>(observed.index)] = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = count; pc-- > 0;) {
      const Instr& instr = thread.code[pc];
      std::vector<bool> live(thread.registers.size(), false);
      if (instr.kind != Instr::Kind::kJump) live = live_[pc + 1];
      if (instr.target >= 0) {
        const std::vector<bool>& there = live_[static_cast<size_t>(instr.target)];
        for (size_t i = 0; i < live.size(); ++i) live[i] = live[i] || there[i];
      }
      for (int set : {instr.dst, instr.second_dst, instr.status}) {
        if (set >= 0) live[static_cast<size_t>(set)] = false;
      }
      for (int used : {instr.addr, instr.value, instr.expect, instr.second_value, instr.second_expect, instr.barrier,
                       instr.barrier_threads}) {
        Uses(thread, used, live);
      }
      if (live == live_[pc]) continue;
      live_[pc] = std::move(live);
      changed = true;
    }
  }
}

bool LiveRegisters::Same(int pc, const std::vector<int64_t>& a, const std::vector<int64_t>& b) const {
  const std::vector<bool>& live = live_[static_cast<size_t>(pc)];
  for (size_t i = 0; i < a.size(); ++i) {
    if (live[i] && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace heddle::litmus
