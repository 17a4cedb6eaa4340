// A small program for tests of strategies: threads that are lists of operations on locks and shared cells, run under a
// strategy as the scheduler in the target would run them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sched/operation.h"
#include "sched/strategy.h"

namespace heddle::sched {

struct ModelOp {
  enum What : uint8_t { kStep, kLock, kUnlock, kSpinUntil, kPlain } what = kStep;
  uint64_t address = 1;
  bool writes = true;
  uint64_t places = 0;
};

struct ModelRun {
  std::vector<uint32_t> order;  // slots, one for each step
  bool deadlock = false;
  std::map<uint32_t, std::vector<size_t>> steps_of;  // by slot: at which places of the order it went
};

class ModelProgram {
 public:
  std::vector<std::vector<ModelOp>> threads;

  // Ends after `limit` steps at the latest.
  ModelRun Run(Strategy& strategy, size_t limit = 10000) const {
    std::vector<size_t> at(threads.size(), 0);
    std::map<uint64_t, uint32_t> owner;
    std::vector<NextOp> next(kMaxSlots);
    ModelRun run;
    for (uint32_t i = 0; i < threads.size(); ++i) strategy.Begins(i);
    uint32_t last = kNoSlot;
    std::map<uint64_t, bool> set;
    while (run.order.size() < limit) {
      ThreadSet enabled;
      bool left = false;
      for (uint32_t i = 0; i < threads.size(); ++i) {
        if (at[i] == threads[i].size()) continue;
        left = true;
        const ModelOp& op = threads[i][at[i]];
        next[i] = {CodeOf(op.what), op.writes, op.address, 0};
        next[i].places = op.places;
        if (op.what != ModelOp::kLock || !owner.contains(op.address)) enabled.Add(i);
      }
      if (enabled.empty()) {
        run.deadlock = left;
        break;
      }
      uint32_t slot = strategy.Pick({&enabled, next.data(), last, run.order.size()});
      if (slot >= threads.size() || !enabled.Has(slot)) {
        run.deadlock = true;  // a strategy that picks what it may not: no test expects this
        break;
      }
      const ModelOp& op = threads[slot][at[slot]];
      if (op.what == ModelOp::kLock) owner[op.address] = slot;
      if (op.what == ModelOp::kUnlock) owner.erase(op.address);
      if (op.what == ModelOp::kStep && op.writes) set[op.address] = true;
      bool stays = op.what == ModelOp::kSpinUntil && !set[op.address];
      if (stays) strategy.Yields(slot);
      run.steps_of[slot].push_back(run.order.size());
      run.order.push_back(slot);
      strategy.Performed(slot, next[slot]);
      if (!stays) ++at[slot];
      if (at[slot] == threads[slot].size()) strategy.Ends(slot);
      last = slot;
    }
    return run;
  }

 private:
  static uint8_t CodeOf(ModelOp::What what) {
    if (what == ModelOp::kLock) return Code(trace::Kind::Lock);
    if (what == ModelOp::kPlain) return kAccess;
    return what == ModelOp::kUnlock ? Code(trace::Kind::Unlock) : uint8_t{kYield};
  }
};

}  // namespace heddle::sched
