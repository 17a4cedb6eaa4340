#include "analysis/explore/search_totals.h"

#include <fmt/format.h>

#include "sched/operation.h"

namespace heddle::analysis {
namespace {

using explore::End;

std::string OperationText(const wire::ExploredEvent& event) {
  const char* name = sched::OperationName(event.operation);
  return fmt::format("{} at {:#x}", name == nullptr ? "?" : name, event.pc);
}

std::string DifferenceText(const explore::Difference& difference, const std::vector<std::string>& names) {
  auto thread = [&](uint32_t index) { return index < names.size() ? names[index] : "?"; };
  bool same = difference.before.thread == difference.now.thread &&
              OperationText(difference.before) == OperationText(difference.now);
  if (same && !difference.absent) {
    return fmt::format("step {}: another value or object than before", difference.step + 1);
  }
  if (difference.absent) {
    return fmt::format("step {}: {} ({}) could not be performed again", difference.step + 1,
                       thread(difference.before.thread), OperationText(difference.before));
  }
  return fmt::format("step {}: before {} {}, now {} {}", difference.step + 1, thread(difference.before.thread),
                     OperationText(difference.before), thread(difference.now.thread), OperationText(difference.now));
}

}  // namespace

void SearchTotals::Count(const Performed& performed) {
  const explore::Execution& execution = performed.execution;
  bool redundant = execution.end == End::kAsleep || execution.end == End::kBlocked;
  ++(redundant ? blocked : executions);
  events += execution.events.size();
  cut += execution.end == End::kDepth ? 1 : 0;
  hangs += performed.hangs ? 1 : 0;
  if (performed.signal != 0 || performed.hangs || execution.end != End::kDone) return;
  ++(performed.code == 0 ? outcomes.succeeded : outcomes.failed);
  for (const std::string& test : performed.failed_tests) ++outcomes.tests[test];
}

void SearchTotals::CountDivergence(const explore::Difference& difference, const Executor& executor) {
  if (difference.absent && executor.TimeoutsCut()) return;  // it was not let, that is all
  if (++diverged == 1) divergence = DifferenceText(difference, executor.threads());
}

void SearchTotals::CountTargets(const Executor& executor) {
  mixed_sizes = mixed_sizes || executor.MixedSizes();
  gaps.merge(executor.Gaps());
  if (forked.empty()) forked = executor.ForkedText();
}

void SearchTotals::Add(const SearchTotals& other) {
  executions += other.executions;
  blocked += other.blocked;
  events += other.events;
  cut += other.cut;
  hangs += other.hangs;
  if (diverged == 0) divergence = other.divergence;
  diverged += other.diverged;
  timeouts_cut = timeouts_cut || other.timeouts_cut;
  mixed_sizes = mixed_sizes || other.mixed_sizes;
  gaps.insert(other.gaps.begin(), other.gaps.end());
  if (forked.empty()) forked = other.forked;
  outcomes.succeeded += other.outcomes.succeeded;
  outcomes.failed += other.outcomes.failed;
  for (const auto& [test, count] : other.outcomes.tests) outcomes.tests[test] += count;
}

}  // namespace heddle::analysis
