// A witness as a schedule for the real program: the operations of the model are found again among the steps of the
// recorded run, and the steps that the model does not know (sleeps, prints, ...) go with the operation that follows
// them in their thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/model.h"
#include "sched/schedule.h"

namespace heddle::predict {

class StepMap {
 public:
  // `ids`: the stable ids of the model's threads.
  StepMap(const TraceModel& model, const std::vector<std::string>& ids, const sched::Schedule& recorded);

  // Empty when every step of the run was found; else what does not fit.
  const std::string& mismatch() const { return mismatch_; }

  // The steps of a witness, with the header of the recorded run.
  sched::Schedule Make(const Witness& witness) const;

  // The operation that step number `step` (from 0) of Make's schedule belongs to.
  std::optional<Place> OperationAt(const Witness& witness, uint64_t step) const;

 private:
  struct Step {
    uint8_t operation;
    uint32_t run;  // in the recorded schedule, for its comment
  };

  void Align(const TraceModel& model, uint32_t thread);

  const sched::Schedule* recorded_;
  std::vector<std::string> ids_;
  std::vector<std::vector<Step>> steps_;      // by thread
  std::vector<std::vector<uint32_t>> until_;  // by thread and operation: steps when it has been performed
  std::string mismatch_;
};

}  // namespace heddle::predict
