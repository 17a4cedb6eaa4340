#include "predict/property_check.h"

#include <fmt/format.h>

#include <charconv>

#include "predict/model_slice.h"

namespace heddle::predict {
namespace {

// The thread of "op.t.p"; kNone for other events.
uint32_t ThreadOf(const std::string& event) {
  if (event.rfind("op.", 0) != 0) return kNone;
  uint32_t thread = kNone;
  std::from_chars(event.data() + 3, event.data() + event.size(), thread);
  return thread;
}

// The parts of a step are what the components did, below renaming.
Witness WitnessOf(const csp::CheckResult& result) {
  Witness witness;
  for (const csp::InternalStep& step : result.steps) {
    uint32_t thread = ThreadOf(step.label);
    for (size_t i = 0; i < step.parts.size() && thread == kNone; ++i) thread = ThreadOf(step.parts[i].event);
    if (thread != kNone) witness.push_back(thread);
  }
  return witness;
}

Result<std::unique_ptr<csp::Script>> Load(const std::string& text, const Property& property,
                                          const std::vector<std::string>& include_paths) {
  csp::LoadOptions options;
  options.include_paths = include_paths;
  return csp::Script::FromText("the model for " + property.path, text, options);
}

}  // namespace

Result<std::vector<AssertionOutcome>> CheckProperty(const TraceModel& model,
                                                    const std::map<uint64_t, std::string>& strings,
                                                    const Property& property, const Constraints& constraints,
                                                    PropertyLimits limits,
                                                    const std::vector<std::string>& include_paths) {
  std::map<std::string, bool> words = WordsOf(property.text);
  bool locks =
      words.contains("lock") || words.contains("unlock") || words.contains("rdlock") || words.contains("sync_events");
  ModelSlice slice = Slice(model, constraints, locks);
  auto script = Load(PropertyScript(slice.model, strings, property, constraints), property, include_paths);
  if (!script) return script.error();
  csp::CheckOptions options;
  options.max_states = limits.states;
  options.max_seconds = limits.seconds;
  std::vector<AssertionOutcome> outcomes;
  for (csp::CheckResult& result : (*script)->CheckAll(options)) {
    if (!result.error.empty()) return MakeError(ErrorCode::kBadInput, result.error);
    AssertionOutcome outcome;
    if (result.verdict == csp::Verdict::kFailed) outcome.witness = slice.Expand(WitnessOf(result));
    outcome.result = std::move(result);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

Result<bool> RunViolates(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                         const Property& property, size_t assertion, bool ends,
                         const std::vector<std::string>& include_paths) {
  auto script = Load(PropertyRunScript(model, strings, property, ends), property, include_paths);
  if (!script) return script.error();
  if (assertion >= (*script)->Assertions().size()) return MakeError(ErrorCode::kInternal, "no such assertion");
  csp::CheckResult result = (*script)->Check(assertion, {});
  if (!result.error.empty()) return MakeError(ErrorCode::kBadInput, result.error);
  return result.verdict == csp::Verdict::kFailed;
}

}  // namespace heddle::predict
