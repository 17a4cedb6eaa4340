#include "refine/campaign/report.h"

#include <fmt/format.h>

#include <sstream>

namespace heddle::refine {
namespace {

constexpr const char* kOriginal = "original";
constexpr const char* kCompiled = "compiled";

std::string LineText(const std::string& text, uint32_t number) {
  std::istringstream in(text);
  std::string line;
  for (uint32_t i = 0; i < number; ++i) {
    if (!std::getline(in, line)) return "";
  }
  size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos || number == 0 ? "" : line.substr(begin);
}

findings::Step StepOf(const ExplainedEvent& event, uint32_t site, const std::string& thread, const std::string& source,
                      const std::string& text) {
  findings::Step step;
  step.site = site;
  step.thread = event.transformed ? kCompiled : kOriginal;
  step.what = event.what;
  step.operand = event.operand;
  step.locks = event.locks;
  std::string line = LineText(text, event.line);
  step.code = line.empty() ? event.code : fmt::format("{}   in: {}", event.code, line);
  Frame frame;
  frame.function = thread;
  frame.file = source;
  frame.line = event.line;
  if (event.line == 0) frame.file.clear();
  step.stack = {frame};
  return step;
}

}  // namespace

std::string MessageOf(const PairResult& result, const std::string& original, const std::string& transformed) {
  return fmt::format("{} {} ({} against {})", transformed, result.explanation.headline,
                     ConstraintName(result.violation.constraint), original);
}

findings::Finding FindingOf(const PairResult& result, const std::string& original, const std::string& transformed,
                            const std::string& thread, const std::string& source, const std::string& text) {
  findings::Finding finding;
  finding.kind = findings::Kind::kRefinement;
  finding.status = findings::FindingStatus::kConfirmed;
  finding.status_note = "both builds were run";
  finding.message = MessageOf(result, original, transformed);
  finding.threads = {{kOriginal, original, "", {}}, {kCompiled, transformed, "", {}}};
  uint32_t site = 1;
  for (const ExplainedEvent& event : result.explanation.events) {
    finding.steps.push_back(StepOf(event, site++, thread, source, text));
  }
  if (!result.explanation.variable.empty()) {
    finding.memory.where = findings::Memory::Where::kGlobal;
    finding.memory.name = result.explanation.variable;
    finding.memory.offset = result.explanation.offset;
  }
  finding.why = result.explanation.why;
  return finding;
}

findings::Finding FindingOf(const Failure& failure, const std::string& source, const std::string& text) {
  return FindingOf(failure.result, failure.original.Label(), failure.transformed.Label(), failure.thread.function,
                   source.empty() ? failure.result.transformed.source : source, text);
}

}  // namespace heddle::refine
