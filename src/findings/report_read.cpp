// Reading "heddle/report/1". One Reader keeps the first error; after it every getter returns its default, so that the
// code below reads straight on and the caller looks once at the end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/near.h"
#include "base/source.h"
#include "findings/memory_names.h"
#include "findings/report_json.h"

namespace heddle::findings {
namespace {

using nlohmann::json;

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  const std::optional<Error>& error() const { return error_; }

  void Fail(const std::string& path, const std::string& message) {
    if (!error_) error_ = MakeError(ErrorCode::kBadInput, fmt::format("{}: {}: {}", name_, path, message));
  }

  // The field, or nullptr when it is absent (or null, which means the same).
  static const json* Field(const json& object, const char* key) {
    auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  std::string String(const json& object, const std::string& path, const char* key, bool required = false) {
    const json* value = Field(object, key);
    if (value == nullptr) {
      if (required) Fail(Join(path, key), "missing; expected a string");
      return {};
    }
    if (!value->is_string()) {
      Fail(Join(path, key), "expected a string");
      return {};
    }
    return value->get<std::string>();
  }

  uint64_t Uint(const json& object, const std::string& path, const char* key, uint64_t fallback = 0,
                uint64_t most = std::numeric_limits<uint64_t>::max()) {
    const json* value = Field(object, key);
    if (value == nullptr) return fallback;
    if (!value->is_number_unsigned() || value->get<uint64_t>() > most) {
      Fail(Join(path, key), fmt::format("expected a whole number from 0 to {}", most));
      return fallback;
    }
    return value->get<uint64_t>();
  }

  uint32_t Uint32(const json& object, const std::string& path, const char* key) {
    return static_cast<uint32_t>(Uint(object, path, key, 0, std::numeric_limits<uint32_t>::max()));
  }

  bool Bool(const json& object, const std::string& path, const char* key) {
    const json* value = Field(object, key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) Fail(Join(path, key), "expected true or false");
    return value->is_boolean() && value->get<bool>();
  }

  double Double(const json& object, const std::string& path, const char* key) {
    const json* value = Field(object, key);
    if (value == nullptr) return 0;
    if (!value->is_number()) Fail(Join(path, key), "expected a number");
    return value->is_number() ? value->get<double>() : 0;
  }

  // Calls `each(item, path)` for every item of the array; `object_items`: each must be an object.
  template <typename Each>
  void Array(const json& object, const std::string& path, const char* key, bool required, bool object_items,
             const Each& each) {
    const json* value = Field(object, key);
    std::string here = Join(path, key);
    if (value == nullptr) {
      if (required) Fail(here, "missing; expected an array");
      return;
    }
    if (!value->is_array()) return Fail(here, "expected an array");
    size_t index = 0;
    for (const json& item : *value) {
      std::string item_path = fmt::format("{}[{}]", here, index++);
      if (item.is_object() != object_items) return Fail(item_path, object_items ? "expected an object" : "unexpected");
      each(item, item_path);
      if (error_) return;
    }
  }

  // The object field, or an empty object.
  const json& Object(const json& object, const std::string& path, const char* key) {
    static const json empty = json::object();
    const json* value = Field(object, key);
    if (value == nullptr) return empty;
    if (value->is_object()) return *value;
    Fail(Join(path, key), "expected an object");
    return empty;
  }

  // The index of a word from a fixed list.
  size_t Word(const json& object, const std::string& path, const char* key, std::span<const std::string_view> words) {
    std::string text = String(object, path, key, true);
    auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<size_t>(found - words.begin());
    std::string hint = DidYouMean(text, words);
    if (hint.empty()) hint = fmt::format("expected one of {}", fmt::join(words, ", "));
    Fail(Join(path, key), fmt::format("unknown word `{}`: {}", text, hint));
    return 0;
  }

  static std::string Join(const std::string& path, const char* key) { return path.empty() ? key : path + "." + key; }

 private:
  std::string name_;
  std::optional<Error> error_;
};

std::vector<std::string> ReadStrings(Reader& reader, const json& object, const std::string& path, const char* key) {
  std::vector<std::string> out;
  reader.Array(object, path, key, false, false, [&](const json& item, const std::string& here) {
    if (!item.is_string()) return reader.Fail(here, "expected a string");
    out.push_back(item.get<std::string>());
  });
  return out;
}

Stack ReadStack(Reader& reader, const json& object, const std::string& path, const char* key) {
  Stack stack;
  reader.Array(object, path, key, false, true, [&](const json& item, const std::string& here) {
    Frame frame;
    frame.function = reader.String(item, here, "function");
    frame.file = reader.String(item, here, "file");
    frame.line = reader.Uint32(item, here, "line");
    frame.column = reader.Uint32(item, here, "column");
    frame.function_line = reader.Uint32(item, here, "function_line");
    frame.inlined = reader.Bool(item, here, "inlined");
    frame.module = reader.String(item, here, "module");
    frame.module_offset = reader.Uint(item, here, "module_offset");
    stack.push_back(std::move(frame));
  });
  return stack;
}

ThreadInfo ReadThread(Reader& reader, const json& item, const std::string& path) {
  ThreadInfo thread;
  thread.id = reader.String(item, path, "id", true);
  thread.name = reader.String(item, path, "name");
  thread.parent = reader.String(item, path, "parent");
  thread.creation_stack = ReadStack(reader, item, path, "creation_stack");
  return thread;
}

Step ReadStep(Reader& reader, const json& item, const std::string& path) {
  Step step;
  step.site = reader.Uint32(item, path, "site");
  step.row = reader.Uint32(item, path, "row");
  step.recorded = reader.Uint32(item, path, "recorded");
  step.thread = reader.String(item, path, "thread", true);
  step.what = reader.String(item, path, "what", true);
  step.operand = reader.String(item, path, "operand");
  step.code = reader.String(item, path, "code");
  step.stack = ReadStack(reader, item, path, "stack");
  step.locks = ReadStrings(reader, item, path, "locks");
  return step;
}

StepOrder ReadOrder(Reader& reader, const json& item, const std::string& path, size_t steps) {
  StepOrder order;
  order.from = reader.Uint32(item, path, "from");
  order.to = reader.Uint32(item, path, "to");
  order.why = reader.String(item, path, "why", true);
  if (order.from >= steps || order.to >= steps) reader.Fail(path, "it names a step that is not there");
  return order;
}

Memory ReadMemory(Reader& reader, const json& finding, const std::string& path) {
  if (Reader::Field(finding, "memory") == nullptr) return {};
  const json& item = reader.Object(finding, path, "memory");
  std::string here = Reader::Join(path, "memory");
  Memory memory;
  memory.where = static_cast<Memory::Where>(reader.Word(item, here, "where", kWhereNames));
  memory.name = reader.String(item, here, "name");
  memory.offset = reader.Uint(item, here, "offset");
  memory.size = reader.Uint(item, here, "size");
  memory.thread = reader.String(item, here, "thread");
  memory.allocation_stack = ReadStack(reader, item, here, "allocation_stack");
  return memory;
}

std::optional<Suppressed> ReadSuppressed(Reader& reader, const json& finding, const std::string& path) {
  if (Reader::Field(finding, "suppressed") == nullptr) return std::nullopt;
  const json& item = reader.Object(finding, path, "suppressed");
  std::string here = Reader::Join(path, "suppressed");
  return Suppressed{reader.String(item, here, "rule", true), reader.String(item, here, "reason")};
}

Finding ReadFinding(Reader& reader, const json& item, const std::string& path) {
  static constexpr std::array<std::string_view, 3> kStatusWords = {"possible", "proved", "confirmed"};
  Finding finding;
  finding.id = reader.String(item, path, "id", true);
  finding.kind = static_cast<Kind>(reader.Word(item, path, "kind", KindNames()));
  finding.status = static_cast<FindingStatus>(reader.Word(item, path, "status", kStatusWords));
  finding.status_note = reader.String(item, path, "status_note");
  finding.message = reader.String(item, path, "message", true);
  finding.fingerprint = reader.String(item, path, "fingerprint", true);
  finding.count = reader.Uint(item, path, "count", 1);
  reader.Array(item, path, "threads", true, true, [&](const json& thread, const std::string& here) {
    finding.threads.push_back(ReadThread(reader, thread, here));
  });
  reader.Array(item, path, "steps", true, true, [&](const json& step, const std::string& here) {
    finding.steps.push_back(ReadStep(reader, step, here));
  });
  reader.Array(item, path, "order", false, true, [&](const json& pair, const std::string& here) {
    finding.order.push_back(ReadOrder(reader, pair, here, finding.steps.size()));
  });
  finding.memory = ReadMemory(reader, item, path);
  finding.output = ReadStrings(reader, item, path, "output");
  finding.why = reader.String(item, path, "why");
  finding.help = reader.String(item, path, "help");
  finding.schedule = reader.String(item, path, "schedule");
  finding.replay = reader.String(item, path, "replay");
  finding.suppressed = ReadSuppressed(reader, item, path);
  finding.known = reader.Bool(item, path, "known");
  finding.tests = ReadStrings(reader, item, path, "tests");
  return finding;
}

TestResult ReadTest(Reader& reader, const json& item, const std::string& path) {
  static constexpr std::array<std::string_view, 3> kEnds = {"clean", "findings", "undecided"};
  TestResult test;
  test.name = reader.String(item, path, "name", true);
  test.end = static_cast<TestEnd>(reader.Word(item, path, "result", kEnds));
  test.reason = reader.String(item, path, "reason");
  test.findings = ReadStrings(reader, item, path, "findings");
  test.complete = reader.Bool(item, path, "complete");
  test.searched = reader.Bool(item, path, "searched");
  test.seconds = reader.Double(item, path, "seconds");
  return test;
}

Coverage ReadCoverage(Reader& reader, const json& root) {
  if (Reader::Field(root, "coverage") == nullptr) reader.Fail("coverage", "missing; expected an object");
  const json& item = reader.Object(root, "", "coverage");
  Coverage coverage;
  coverage.complete = reader.Bool(item, "coverage", "complete");
  coverage.scope = reader.String(item, "coverage", "scope");
  coverage.bound = reader.String(item, "coverage", "bound");
  coverage.undecided = reader.String(item, "coverage", "undecided");
  coverage.note = reader.String(item, "coverage", "note");
  coverage.runs = reader.Uint(item, "coverage", "runs");
  coverage.executions = reader.Uint(item, "coverage", "executions");
  coverage.blocked = reader.Uint(item, "coverage", "blocked");
  coverage.succeeded = reader.Uint(item, "coverage", "succeeded");
  coverage.failed = reader.Uint(item, "coverage", "failed");
  coverage.events = reader.Uint(item, "coverage", "events");
  coverage.threads = reader.Uint(item, "coverage", "threads");
  coverage.seconds = reader.Double(item, "coverage", "seconds");
  return coverage;
}

std::optional<int> ReadExit(Reader& reader, const json& root) {
  const json* value = Reader::Field(root, "exit");
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer() || value->get<int64_t>() < -255 || value->get<int64_t>() > 255) {
    reader.Fail("exit", "expected an exit code or null");
    return std::nullopt;
  }
  return value->get<int>();
}

void CheckSchema(Reader& reader, const json& root) {
  std::string schema = reader.String(root, "", "schema", true);
  if (schema == kReportSchema || reader.error()) return;
  reader.Fail("schema", fmt::format("`{}` is not supported; this heddle reads `{}`", schema, kReportSchema));
}

Error SyntaxError(const std::string& name, const std::string& text, size_t byte) {
  SourceMap sources;
  sources.Add(name, text);
  auto at = static_cast<uint32_t>(std::min<size_t>(byte > 0 ? byte - 1 : 0, text.size()));
  Diagnostic diagnostic{Severity::kError, {0, at, at + 1}, "not JSON", "expected a report that heddle wrote", {}};
  std::string message = Render(sources, diagnostic);
  message.pop_back();
  return MakeError(ErrorCode::kBadInput, message);
}

}  // namespace

Result<Report> ReadReportJson(const std::string& name, const std::string& text) {
  json root;
  try {
    root = json::parse(text);
  } catch (const json::parse_error& error) {
    return SyntaxError(name, text, error.byte);
  } catch (const json::exception& error) {  // a number that no double can hold
    return MakeError(ErrorCode::kBadInput, fmt::format("{}: {}", name, error.what()));
  }
  if (!root.is_object()) return MakeError(ErrorCode::kBadInput, fmt::format("{}: expected a JSON object", name));
  Reader reader(name);
  CheckSchema(reader, root);
  Report report;
  report.tool_version = reader.String(reader.Object(root, "", "tool"), "tool", "version");
  report.program = reader.String(root, "", "program");
  report.arguments = ReadStrings(reader, root, "", "arguments");
  report.exit = ReadExit(reader, root);
  report.coverage = ReadCoverage(reader, root);
  reader.Array(root, "", "findings", true, true, [&](const json& item, const std::string& path) {
    report.findings.push_back(ReadFinding(reader, item, path));
  });
  reader.Array(root, "", "tests", false, true, [&](const json& item, const std::string& path) {
    report.tests.push_back(ReadTest(reader, item, path));
  });
  if (reader.error()) return *reader.error();
  return report;
}

}  // namespace heddle::findings
