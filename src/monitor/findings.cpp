#include "monitor/findings.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/near.h"
#include "findings/fingerprint.h"
#include "stream/run/tree.h"
#include "stream/text/format.h"

namespace heddle::monitor {
namespace {

using findings::Finding;
using findings::Step;

bool IsPlace(std::string_view name) {
  return name.ends_with("line") || name.ends_with("function") || name.ends_with("file");
}

std::string Text(const stream::Value& value) { return stream::ToText(value); }

std::string WhatOf(const trace::Event& event) {
  if (event.IsPlainRead()) return "read";
  if (event.IsPlainWrite()) return "write";
  return std::string(trace::KindName(event.kind));
}

}  // namespace

Status CheckFindingKinds(const stream::Program& program) {
  for (const stream::Output& output : program.graph.outputs) {
    if (output.finding.empty() || findings::KindFromName(output.finding)) continue;
    auto names = findings::KindNames();
    std::string hint = DidYouMean(output.finding, std::vector<std::string_view>(names.begin(), names.end()));
    return MakeError(ErrorCode::kUsage, fmt::format("@finding of the output `{}`: there is no kind `{}`{}{}",
                                                    output.name, output.finding, hint.empty() ? "" : ": ", hint));
  }
  return {};
}

void FindingCollector::AddStep(int64_t time, std::span<const stream::OutputEvent> outputs) {
  time_ = time;
  step_ = outputs;
  event_ = streams_ != nullptr && streams_->time() == time ? &streams_->event() : nullptr;
  for (const Item& item : outputs) {
    if (!program_.graph.outputs[item.output].finding.empty()) Add(item);
  }
}

void FindingCollector::Add(const Item& item) {
  const auto& outputs = program_.graph.outputs;
  std::string key = outputs[item.output].name;
  if (event_ != nullptr) key += fmt::format("@{:x}", event_->pc);
  for (const Item& other : step_) {
    if (IsPlace(outputs[other.output].name)) key += "|" + Text(other.value);
  }
  auto known = index_.find(key);
  if (known != index_.end()) {
    ++findings_[known->second].count;
  } else if (findings_.size() >= kMaxFindings) {
    ++left_out_;
  } else {
    index_[key] = findings_.size();
    findings_.push_back(Make(item));
  }
}

Finding FindingCollector::Make(const Item& item) {
  const stream::Output& output = program_.graph.outputs[item.output];
  Finding finding;
  finding.kind = findings::KindFromName(output.finding).value_or(findings::Kind::kProperty);
  finding.status = findings::FindingStatus::kPossible;
  finding.message = output.message.empty() ? fmt::format("`{}` = {}", output.name, Text(item.value)) : output.message;
  bool code = event_ != nullptr && event_->pc != 0;
  Step step = code ? StepFromTrace(finding) : StepFromOutputs();
  step.site = 1;
  if (step.what.empty()) step.what = output.name;
  AddLocks(step);
  if (finding.threads.empty() && !step.thread.empty()) finding.threads.push_back({step.thread, "", "", {}});
  finding.steps.push_back(std::move(step));
  finding.why = fmt::format("at {}:", time_);
  for (const Item& other : step_) {
    finding.why += fmt::format(" {} = {},", program_.graph.outputs[other.output].name, Text(other.value));
  }
  finding.why.pop_back();
  // Two properties may fail at one place: the stream tells them apart.
  std::string identity = findings::Fingerprint(finding) + output.name;
  finding.fingerprint = fmt::format("{:016x}", XXH3_64bits(identity.data(), identity.size()));
  return finding;
}

Step FindingCollector::StepFromTrace(Finding& finding) {
  Step step;
  step.thread = names_->ThreadId(event_->thread);
  step.what = WhatOf(*event_);
  step.operand = names_->GlobalName(event_->address, std::max<uint64_t>(event_->AccessBytes(), 1));
  step.stack = names_->StackOf(event_->pc, event_->stack);
  step.code = names_->SourceText(step.stack);
  finding.threads.push_back({step.thread, names_->ThreadName(event_->thread), "", {}});
  return step;
}

Step FindingCollector::StepFromOutputs() {
  Step step;
  Frame frame;
  frame.file = "?";  // a text trace has lines of a file that it does not name
  for (const Item& item : step_) {
    const std::string& name = program_.graph.outputs[item.output].name;
    if (name.ends_with("line") && item.value.tag() == stream::Tag::kInt) {
      frame.line = static_cast<uint32_t>(item.value.integer());
    } else if (name.ends_with("function")) {
      frame.function = Text(item.value);
    } else if (name.ends_with("file")) {
      frame.file = Text(item.value);
    } else if (name.starts_with("thread")) {
      step.thread = Text(item.value);
    }
  }
  if (frame.line != 0 || !frame.function.empty()) step.stack.push_back(std::move(frame));
  return step;
}

// The elements of the first set whose name begins with `holding`; by name where the trace knows them.
void FindingCollector::AddLocks(Step& step) {
  for (const Item& item : step_) {
    if (!program_.graph.outputs[item.output].name.starts_with("holding")) continue;
    if (item.value.tag() != stream::Tag::kSet) continue;
    stream::ForEachNode(item.value.tree(), [&](stream::TreeNode* node) {
      bool address = names_ != nullptr && node->key.tag() == stream::Tag::kInt;
      step.locks.push_back(address ? names_->LockName(static_cast<uint64_t>(node->key.integer())) : Text(node->key));
    });
    return;
  }
}

void FindingCollector::Finish(findings::Report& report) {
  for (Finding& finding : findings_) findings::AddFinding(report, std::move(finding));
  findings_.clear();
  index_.clear();
}

}  // namespace heddle::monitor
