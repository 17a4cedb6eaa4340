// Events of streams that are marked @finding("kind", "message") as ordinary findings: one for each stream and place,
// with a count.
//
// What a finding tells comes from the other outputs of the same timestamp, by their names: `...line`, `...function` and
// `...file` are the place, `thread...` the thread, `holding...` the locks. When the trace is heddle's own, thread,
// stack, locks and source text come from the trace event itself.
//
// Bounded: what is kept depends on the number of distinct findings, not on the length of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "findings/report.h"
#include "monitor/trace_streams.h"
#include "stream/run/machine.h"
#include "symbolize/trace_names.h"

namespace heddle::monitor {

// An error when some @finding has a kind that heddle does not know.
Status CheckFindingKinds(const stream::Program& program);

class FindingCollector {
 public:
  // With a trace, both `streams` and `names` are given; they and the program must outlive it.
  explicit FindingCollector(const stream::Program& program, const TraceStreams* streams = nullptr,
                            symbolize::TraceNames* names = nullptr)
      : program_(program), streams_(streams), names_(names) {}

  // Call it from the sink of RunSteps, while the source is still at this step.
  void AddStep(int64_t time, std::span<const stream::OutputEvent> outputs);

  // Adds what was found to the report, in order of first time.
  void Finish(findings::Report& report);

  // Events of finding streams that were not kept, because kMaxFindings different ones had been seen.
  uint64_t left_out() const { return left_out_; }

 private:
  static constexpr size_t kMaxFindings = 10'000;
  using Item = stream::OutputEvent;

  void Add(const Item& item);
  findings::Finding Make(const Item& item);
  findings::Step StepFromOutputs();
  findings::Step StepFromTrace(findings::Finding& finding);
  void AddLocks(findings::Step& step);

  const stream::Program& program_;
  const TraceStreams* streams_;
  symbolize::TraceNames* names_;
  int64_t time_ = -1;
  std::span<const Item> step_;
  const trace::Event* event_ = nullptr;  // of this step; null in text traces, and where a delay made the step
  std::map<std::string, size_t> index_;
  std::vector<findings::Finding> findings_;
  uint64_t left_out_ = 0;
};

}  // namespace heddle::monitor
