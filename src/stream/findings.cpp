#include "stream/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/json.h"

namespace heddle::stream {
namespace {

bool IsPlace(std::string_view name) { return name.ends_with("line") || name.ends_with("function"); }

// FNV-1a: stable across runs and machines.
std::string Fingerprint(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

std::string Message(const MonitorFinding& finding) {
  std::string out = fmt::format("`{}` at {}", finding.stream, finding.first_time);
  for (const auto& [name, text] : finding.details) out += fmt::format(", {} = {}", name, text);
  return out;
}

}  // namespace

void FindingCollector::Event(int64_t time, const OutputEvent& event) {
  if (time != time_) CloseStep();
  time_ = time;
  step_.emplace_back(event.output, ToText(event.value));
}

void FindingCollector::CloseStep() {
  const auto& outputs = program_.graph.outputs;
  for (const auto& [output, text] : step_) {
    if (outputs[output].finding.empty()) continue;
    std::string key = outputs[output].name;
    for (const auto& [other, value] : step_) {
      if (IsPlace(outputs[other].name)) key += "|" + outputs[other].name + "=" + value;
    }
    if (findings_.size() >= kMaxFindings && !findings_.contains(key)) continue;
    MonitorFinding& finding = findings_[key];
    if (++finding.count > 1) continue;
    finding.kind = outputs[output].finding;
    finding.stream = outputs[output].name;
    finding.first_time = time_;
    for (const auto& [other, value] : step_) finding.details.emplace_back(outputs[other].name, value);
  }
  step_.clear();
}

std::vector<MonitorFinding> FindingCollector::Finish() {
  CloseStep();
  std::vector<MonitorFinding> result;
  result.reserve(findings_.size());
  for (auto& [key, finding] : findings_) result.push_back(std::move(finding));
  auto earlier = [](const MonitorFinding& a, const MonitorFinding& b) {
    return std::tie(a.first_time, a.stream) < std::tie(b.first_time, b.stream);
  };
  std::sort(result.begin(), result.end(), earlier);
  return result;
}

std::string ReportJson(const std::vector<MonitorFinding>& findings, const ReportFacts& facts) {
  JsonWriter json;
  json.BeginObject().Key("schema").String("heddle/report/1").Key("findings").BeginArray();
  int number = 0;
  for (const MonitorFinding& finding : findings) {
    std::string place = finding.kind + "|" + finding.stream;
    json.BeginObject().Key("id").String(fmt::format("F{}", ++number)).Key("kind").String(finding.kind);
    json.Key("status").String("possible").Key("message").String(Message(finding));
    json.Key("count").Uint(finding.count).Key("time").Int(finding.first_time).Key("stream").String(finding.stream);
    json.Key("details").BeginObject();
    for (const auto& [name, text] : finding.details) {
      if (IsPlace(name)) place += "|" + name + "=" + text;
      json.Key(name).String(text);
    }
    json.EndObject().Key("threads").BeginArray();
    for (const auto& [name, text] : finding.details) {
      if (name.starts_with("thread")) json.String(text);
    }
    json.EndArray().Key("steps").BeginArray().EndArray().Key("schedule").Null();
    json.Key("fingerprint").String(Fingerprint(place)).EndObject();
  }
  json.EndArray().Key("coverage").BeginObject().Key("complete").Bool(facts.complete).Key("bound").String("one trace");
  json.Key("executions").Uint(1).Key("blocked").Uint(0).Key("events").Uint(facts.events).Key("steps").Uint(facts.steps);
  json.Key("seconds").Double(facts.seconds).EndObject();
  json.Key("program").BeginObject().Key("specification").String(facts.specification).Key("trace").String(facts.trace);
  json.EndObject().Key("exit").Int(facts.exit).EndObject();
  return json.Take();
}

}  // namespace heddle::stream
