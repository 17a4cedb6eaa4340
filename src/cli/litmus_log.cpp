// heddle litmus log: compares, merges and tabulates logs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "base/file.h"
#include "cli/litmus.h"
#include "litmus/log/log.h"

namespace heddle::cli {
namespace {

Result<std::vector<litmus::Log>> ReadLogs(const std::vector<std::string>& files) {
  std::vector<litmus::Log> logs;
  for (const std::string& file : files) {
    Result<std::string> text = ReadFile(file);
    if (!text) return text.error();
    Result<litmus::Log> log = litmus::ReadLog(file, *text);
    if (!log) return log.error();
    logs.push_back(std::move(*log));
  }
  return logs;
}

// A line for each test that both have and in which they differ, then the counts.
int CompareLogs(const litmus::Log& a, const litmus::Log& b) {
  std::map<litmus::Strength, int> counts;
  int missing = 0;
  for (const auto& [name, test] : a.tests) {
    auto other = b.tests.find(name);
    if (other == b.tests.end()) {
      ++missing;
      continue;
    }
    litmus::Strength strength = litmus::Compare(test, other->second);
    ++counts[strength];
    if (strength == litmus::Strength::kEqual) continue;
    fmt::print("{}: {} is {} than {}\n", name, a.name, litmus::StrengthWord(strength), b.name);
    for (const auto& [state, count] : test.states) {
      if (!other->second.states.contains(state)) fmt::print("  only {}: {}\n", a.name, state);
    }
    for (const auto& [state, count] : other->second.states) {
      if (!test.states.contains(state)) fmt::print("  only {}: {}\n", b.name, state);
    }
  }
  for (const auto& [name, test] : b.tests) missing += a.tests.contains(name) ? 0 : 1;
  using litmus::Strength;
  fmt::print("{} equal, {} weaker, {} stronger, {} incomparable", counts[Strength::kEqual], counts[Strength::kWeaker],
             counts[Strength::kStronger], counts[Strength::kIncomparable]);
  fmt::print("{}\n", missing == 0 ? "" : fmt::format(", {} in one log only", missing));
  return counts[Strength::kWeaker] + counts[Strength::kStronger] + counts[Strength::kIncomparable] > 0 ? kExitFindings
                                                                                                       : kExitClean;
}

}  // namespace

int LitmusLog(const Arguments& arguments) {
  std::vector<std::string> files;
  std::string first;
  std::string second;
  bool html = false;
  bool latex = false;
  bool markdown = false;
  CLI::App app(
      "Reads logs of `heddle litmus run` and `sim`, of herd and of litmus7.\n\n"
      "  heddle litmus log compare A.log B.log       test by test: weaker, stronger, equal\n"
      "  heddle litmus log merge A.log B.log         one log with the counts of all\n"
      "  heddle litmus log table --html A.log B.log  a table of the results\n\n"
      "Exit: 0, 1 the logs differ (compare), 2 a log cannot be read.",
      "heddle litmus log");
  CLI::App* compare = app.add_subcommand("compare", "which log shows more states, test by test");
  compare->add_option("A", first, "a log")->required();
  compare->add_option("B", second, "a log")->required();
  CLI::App* merge = app.add_subcommand("merge", "adds the counts of logs");
  merge->add_option("LOG", files, "logs")->required();
  CLI::App* table = app.add_subcommand("table", "a row for each test, a column for each log");
  table->add_option("LOG", files, "logs")->required();
  table->add_flag("--html", html, "as HTML");
  table->add_flag("--latex", latex, "as LaTeX");
  table->add_flag("--markdown", markdown, "as Markdown (default)");
  app.require_subcommand(1);
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (compare->parsed()) files = {first, second};
  Result<std::vector<litmus::Log>> logs = ReadLogs(files);
  if (!logs) return Fail("litmus log", logs.error());
  if (compare->parsed()) return CompareLogs((*logs)[0], (*logs)[1]);
  if (merge->parsed()) {
    fmt::print("{}", litmus::PrintLog(litmus::Merge(*logs)));
    return kExitClean;
  }
  if (static_cast<int>(html) + static_cast<int>(latex) + static_cast<int>(markdown) > 1) {
    return Fail("litmus log", MakeError(ErrorCode::kUsage, "choose one of --html, --latex and --markdown"));
  }
  auto format = html    ? litmus::TableFormat::kHtml
                : latex ? litmus::TableFormat::kLatex
                        : litmus::TableFormat::kMarkdown;
  fmt::print("{}", litmus::PrintTable(*logs, format));
  return kExitClean;
}

}  // namespace heddle::cli
