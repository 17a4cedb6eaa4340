#include "findings/report_json.h"

#include "base/file.h"
#include "base/json.h"
#include "findings/memory_names.h"

namespace heddle::findings {
namespace {

// Fields that say nothing (empty, zero, false) are left out, except those that the contract promises.
void OptionalString(JsonWriter& json, std::string_view key, const std::string& value) {
  if (!value.empty()) json.Key(key).String(value);
}

void OptionalUint(JsonWriter& json, std::string_view key, uint64_t value) {
  if (value > 0) json.Key(key).Uint(value);
}

void WriteStrings(JsonWriter& json, std::string_view key, const std::vector<std::string>& values) {
  json.Key(key).BeginArray();
  for (const std::string& value : values) json.String(value);
  json.EndArray();
}

void WriteStack(JsonWriter& json, std::string_view key, const Stack& stack) {
  json.Key(key).BeginArray();
  for (const Frame& frame : stack) {
    json.BeginObject();
    OptionalString(json, "function", frame.function);
    OptionalString(json, "file", frame.file);
    OptionalUint(json, "line", frame.line);
    OptionalUint(json, "column", frame.column);
    OptionalUint(json, "function_line", frame.function_line);
    if (frame.inlined) json.Key("inlined").Bool(true);
    OptionalString(json, "module", frame.module);
    OptionalUint(json, "module_offset", frame.module_offset);
    json.EndObject();
  }
  json.EndArray();
}

void WriteThreads(JsonWriter& json, const std::vector<ThreadInfo>& threads) {
  json.Key("threads").BeginArray();
  for (const ThreadInfo& thread : threads) {
    json.BeginObject().Key("id").String(thread.id).Key("name").String(thread.name);
    OptionalString(json, "parent", thread.parent);
    if (!thread.creation_stack.empty()) WriteStack(json, "creation_stack", thread.creation_stack);
    json.EndObject();
  }
  json.EndArray();
}

// The place of the user's frame is repeated flat, so that scripts need not walk the stack.
void WritePlace(JsonWriter& json, const Stack& stack) {
  const Frame* frame = UserFrame(stack);
  if (frame == nullptr) return;
  OptionalString(json, "function", frame->function);
  OptionalString(json, "file", frame->file);
  OptionalUint(json, "line", frame->line);
  OptionalUint(json, "column", frame->column);
}

void WriteStep(JsonWriter& json, const Step& step) {
  json.BeginObject().Key("thread").String(step.thread).Key("what").String(step.what);
  OptionalString(json, "operand", step.operand);
  OptionalString(json, "code", step.code);
  OptionalUint(json, "site", step.site);
  OptionalUint(json, "row", step.row);
  OptionalUint(json, "recorded", step.recorded);
  WritePlace(json, step.stack);
  WriteStrings(json, "locks", step.locks);
  WriteStack(json, "stack", step.stack);
  json.EndObject();
}

void WriteMemory(JsonWriter& json, const Memory& memory) {
  if (memory == Memory()) return;
  json.Key("memory").BeginObject().Key("where").String(kWhereNames[static_cast<size_t>(memory.where)]);
  OptionalString(json, "name", memory.name);
  json.Key("offset").Uint(memory.offset);
  OptionalUint(json, "size", memory.size);
  OptionalString(json, "thread", memory.thread);
  if (!memory.allocation_stack.empty()) WriteStack(json, "allocation_stack", memory.allocation_stack);
  json.EndObject();
}

void WriteOrder(JsonWriter& json, const std::vector<StepOrder>& order) {
  if (order.empty()) return;
  json.Key("order").BeginArray();
  for (const StepOrder& pair : order) {
    json.BeginObject().Key("from").Uint(pair.from).Key("to").Uint(pair.to).Key("why").String(pair.why).EndObject();
  }
  json.EndArray();
}

void WriteFinding(JsonWriter& json, const Finding& finding) {
  json.BeginObject().Key("id").String(finding.id).Key("kind").String(KindName(finding.kind));
  json.Key("status").String(StatusName(finding.status));
  OptionalString(json, "status_note", finding.status_note);
  json.Key("fingerprint").String(finding.fingerprint).Key("message").String(finding.message);
  json.Key("count").Uint(finding.count);
  WriteThreads(json, finding.threads);
  json.Key("steps").BeginArray();
  for (const Step& step : finding.steps) WriteStep(json, step);
  json.EndArray();
  WriteOrder(json, finding.order);
  WriteMemory(json, finding.memory);
  if (!finding.output.empty()) WriteStrings(json, "output", finding.output);
  OptionalString(json, "why", finding.why);
  OptionalString(json, "help", finding.help);
  json.Key("schedule");
  if (finding.schedule.empty()) {
    json.Null();
  } else {
    json.String(finding.schedule);
  }
  OptionalString(json, "replay", finding.replay);
  if (finding.suppressed) {
    json.Key("suppressed").BeginObject().Key("rule").String(finding.suppressed->rule);
    json.Key("reason").String(finding.suppressed->reason).EndObject();
  }
  if (finding.known) json.Key("known").Bool(true);
  if (!finding.tests.empty()) WriteStrings(json, "tests", finding.tests);
  json.EndObject();
}

void WriteCoverage(JsonWriter& json, const Coverage& coverage) {
  json.Key("coverage").BeginObject().Key("complete").Bool(coverage.complete);
  OptionalString(json, "scope", coverage.scope);
  json.Key("bound").String(coverage.bound);
  OptionalString(json, "undecided", coverage.undecided);
  OptionalString(json, "note", coverage.note);
  json.Key("runs").Uint(coverage.runs);
  json.Key("executions").Uint(coverage.executions).Key("blocked").Uint(coverage.blocked);
  OptionalUint(json, "succeeded", coverage.succeeded);
  OptionalUint(json, "failed", coverage.failed);
  json.Key("events").Uint(coverage.events).Key("threads").Uint(coverage.threads);
  json.Key("seconds").Double(coverage.seconds).EndObject();
}

void WriteTests(JsonWriter& json, const std::vector<TestResult>& tests) {
  if (tests.empty()) return;
  json.Key("tests").BeginArray();
  for (const TestResult& test : tests) {
    json.BeginObject().Key("name").String(test.name).Key("result").String(TestEndName(test.end));
    OptionalString(json, "reason", test.reason);
    WriteStrings(json, "findings", test.findings);
    json.Key("complete").Bool(test.complete);
    if (test.searched) json.Key("searched").Bool(true);
    json.Key("seconds").Double(test.seconds).EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string ReportJson(const Report& report, JsonWriter::Style style) {
  JsonWriter json(style);
  json.BeginObject().Key("schema").String(kReportSchema);
  json.Key("tool").BeginObject().Key("name").String("heddle").Key("version").String(report.tool_version).EndObject();
  json.Key("program").String(report.program);
  WriteStrings(json, "arguments", report.arguments);
  json.Key("exit");
  if (report.exit) {
    json.Int(*report.exit);
  } else {
    json.Null();
  }
  WriteCoverage(json, report.coverage);
  json.Key("findings").BeginArray();
  for (const Finding& finding : report.findings) WriteFinding(json, finding);
  json.EndArray();
  WriteTests(json, report.tests);
  json.EndObject();
  return json.Take();
}

Status SaveReport(const Report& report, const std::string& path) { return WriteFileAtomic(path, ReportJson(report)); }

Result<Report> LoadReport(const std::string& path) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return ReadReportJson(path, *text);
}

}  // namespace heddle::findings
