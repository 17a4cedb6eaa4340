#include "findings/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "base/json.h"
#include "findings/explain.h"

namespace heddle::findings {
namespace {

std::string PercentEncoded(std::string_view path) {
  std::string out;
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain =
        (byte < 0x80 && std::isalnum(byte) != 0) || std::string_view("/-._~+@").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

class Writer {
 public:
  Writer(const Report& report, const SarifOptions& options) : report_(report), options_(options) {
    for (const Finding& finding : report.findings) rules_.emplace(finding.kind, rules_.size());
    // Indices in the order of the kinds, whatever order the findings have.
    size_t index = 0;
    for (auto& [kind, position] : rules_) position = index++;
  }

  std::string Run() {
    json_.BeginObject();
    json_.Key("$schema").String("https://json.schemastore.org/sarif-2.1.0.json").Key("version").String("2.1.0");
    json_.Key("runs").BeginArray().BeginObject();
    Tool();
    Invocation();
    if (!options_.source_root.empty()) {
      json_.Key("originalUriBaseIds").BeginObject().Key("SRCROOT").BeginObject();
      json_.Key("uri").String("file://" + PercentEncoded(options_.source_root) + "/").EndObject().EndObject();
    }
    json_.Key("columnKind").String("utf16CodeUnits");
    json_.Key("results").BeginArray();
    for (const Finding& finding : report_.findings) Result(finding);
    json_.EndArray();
    RunProperties();
    json_.EndObject().EndArray().EndObject();
    return json_.Take();
  }

 private:
  void Text(std::string_view key, std::string_view text) {
    json_.Key(key).BeginObject().Key("text").String(text).EndObject();
  }

  void Tool() {
    json_.Key("tool").BeginObject().Key("driver").BeginObject().Key("name").String("heddle");
    if (!report_.tool_version.empty()) json_.Key("version").String(report_.tool_version);
    json_.Key("rules").BeginArray();
    for (const auto& [kind, index] : rules_) {
      const Explanation& explanation = Explain(kind);
      json_.BeginObject().Key("id").String(KindName(kind)).Key("name").String(RuleName(explanation.title));
      Text("shortDescription", explanation.title);
      Text("fullDescription", explanation.what);
      Text("help", fmt::format("{}\n\n{}\n\n{}", explanation.why, explanation.fix, explanation.proves));
      json_.Key("defaultConfiguration").BeginObject().Key("level").String("error").EndObject().EndObject();
    }
    json_.EndArray().EndObject().EndObject();
  }

  // "Data race" -> "DataRace", the form that SARIF asks of a rule's name.
  static std::string RuleName(std::string_view title) {
    std::string out;
    bool upper = true;
    for (char c : title) {
      if (c != ' ') out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = c == ' ';
    }
    return out;
  }

  void Invocation() {
    json_.Key("invocations").BeginArray().BeginObject().Key("executionSuccessful").Bool(true);
    if (!report_.program.empty()) {
      json_.Key("properties").BeginObject().Key("program").String(report_.program).Key("arguments").BeginArray();
      for (const std::string& argument : report_.arguments) json_.String(argument);
      json_.EndArray().Key("exit");
      if (report_.exit) {
        json_.Int(*report_.exit);
      } else {
        json_.Null();
      }
      json_.EndObject();
    }
    json_.EndObject().EndArray();
  }

  void RunProperties() {
    const Coverage& coverage = report_.coverage;
    json_.Key("properties").BeginObject().Key("coverage").BeginObject();
    json_.Key("complete").Bool(coverage.complete).Key("scope").String(coverage.scope);
    json_.Key("bound").String(coverage.bound).Key("executions").Uint(coverage.executions);
    json_.Key("events").Uint(coverage.events).Key("seconds").Double(coverage.seconds).EndObject().EndObject();
  }

  void Result(const Finding& finding) {
    json_.BeginObject().Key("ruleId").String(KindName(finding.kind)).Key("ruleIndex").Uint(rules_[finding.kind]);
    json_.Key("level").String(finding.status == FindingStatus::kPossible ? "warning" : "error");
    Text("message", ResultMessage(finding));
    Locations(finding);
    CodeFlows(finding);
    json_.Key("partialFingerprints").BeginObject().Key("heddle/v1").String(finding.fingerprint).EndObject();
    json_.Key("occurrenceCount").Uint(std::max<uint64_t>(finding.count, 1));
    if (options_.baseline) json_.Key("baselineState").String(finding.known ? "unchanged" : "new");
    if (finding.suppressed) {
      json_.Key("suppressions").BeginArray().BeginObject().Key("kind").String("external");
      if (!finding.suppressed->reason.empty()) json_.Key("justification").String(finding.suppressed->reason);
      json_.Key("properties").BeginObject().Key("rule").String(finding.suppressed->rule).EndObject();
      json_.EndObject().EndArray();
    }
    json_.Key("properties").BeginObject().Key("id").String(finding.id).Key("status").String(StatusName(finding.status));
    if (!finding.schedule.empty()) json_.Key("schedule").String(finding.schedule);
    if (!finding.replay.empty()) json_.Key("replay").String(finding.replay);
    json_.EndObject().EndObject();
  }

  static std::string ResultMessage(const Finding& finding) {
    std::string text = fmt::format("{} ({})", finding.message, StatusText(finding));
    if (!finding.why.empty()) text += ". " + finding.why;
    if (!finding.help.empty()) text += ". Help: " + finding.help;
    return text;
  }

  // The first site is the result's place, the others are related.
  void Locations(const Finding& finding) {
    std::vector<const Step*> sites = Sites(finding);
    json_.Key("locations").BeginArray();
    if (!sites.empty()) StepLocation(finding, *sites[0], 0);
    json_.EndArray();
    if (sites.size() < 2) return;
    json_.Key("relatedLocations").BeginArray();
    for (size_t i = 1; i < sites.size(); ++i) StepLocation(finding, *sites[i], i);
    json_.EndArray();
  }

  void CodeFlows(const Finding& finding) {
    std::vector<std::string> threads = ThreadsWithSteps(finding, false);
    if (threads.empty()) return;
    json_.Key("codeFlows").BeginArray().BeginObject().Key("threadFlows").BeginArray();
    for (const std::string& thread : threads) ThreadFlow(finding, thread);
    json_.EndArray().EndObject().EndArray();
  }

  void ThreadFlow(const Finding& finding, const std::string& thread) {
    json_.BeginObject().Key("id").String(thread).Key("locations").BeginArray();
    for (const Step& step : finding.steps) {
      if (step.thread != thread) continue;
      json_.BeginObject().Key("location");
      StepLocation(finding, step, 0);
      if (step.row > 0) json_.Key("executionOrder").Uint(step.row);
      json_.Key("importance").String(step.site > 0 ? "essential" : "important");
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  static std::string StepMessage(const Finding& finding, const Step& step) {
    std::string name;
    for (const ThreadInfo& thread : finding.threads) {
      if (thread.id == step.thread && !thread.name.empty()) name = fmt::format(" `{}`", thread.name);
    }
    std::string locks = step.locks.empty() ? "none" : fmt::format("{}", fmt::join(step.locks, ", "));
    return fmt::format("thread {}{}: {}, locks held: {}", step.thread, name, StepText(step), locks);
  }

  void StepLocation(const Finding& finding, const Step& step, size_t id) {
    json_.BeginObject();
    if (id > 0) json_.Key("id").Uint(id);
    const Frame* frame = UserFrame(step.stack);
    if (frame != nullptr && !frame->file.empty()) PhysicalLocation(*frame);
    if (frame != nullptr && !frame->function.empty()) {
      json_.Key("logicalLocations").BeginArray().BeginObject().Key("fullyQualifiedName").String(frame->function);
      json_.Key("kind").String("function").EndObject().EndArray();
    }
    Text("message", StepMessage(finding, step));
    json_.EndObject();
  }

  void PhysicalLocation(const Frame& frame) {
    json_.Key("physicalLocation").BeginObject().Key("artifactLocation").BeginObject();
    std::string root = options_.source_root + "/";
    if (!options_.source_root.empty() && frame.file.compare(0, root.size(), root) == 0) {
      json_.Key("uri").String(PercentEncoded(frame.file.substr(root.size()))).Key("uriBaseId").String("SRCROOT");
    } else {
      bool absolute = frame.file[0] == '/';
      json_.Key("uri").String((absolute ? "file://" : "") + PercentEncoded(frame.file));
    }
    json_.EndObject();
    if (frame.line > 0) {
      json_.Key("region").BeginObject().Key("startLine").Uint(frame.line);
      if (frame.column > 0) json_.Key("startColumn").Uint(frame.column);
      json_.EndObject();
    }
    json_.EndObject();
  }

  const Report& report_;
  const SarifOptions& options_;
  JsonWriter json_;
  std::map<Kind, size_t> rules_;  // kind -> ruleIndex
};

}  // namespace

std::string SarifJson(const Report& report, const SarifOptions& options) { return Writer(report, options).Run(); }

}  // namespace heddle::findings
