// heddle diff: what is new, gone and unchanged between two runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/history/history.h"
#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/keep_results.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "findings/width.h"

namespace heddle::cli {
namespace {

using analysis::HistoryRun;
using findings::Comparison;
using findings::Finding;

void PrintList(std::string_view word, const std::vector<const Finding*>& list) {
  for (const Finding* finding : list) {
    fmt::print("{:<10} {}[{}]: {}  {}\n", word, findings::Printable(finding->id), findings::KindName(finding->kind),
               findings::Printable(finding->message), findings::Printable(findings::SitePlaces(*finding)));
  }
}

void WriteList(JsonWriter& json, std::string_view key, const std::vector<const Finding*>& list) {
  json.Key(key).BeginArray();
  for (const Finding* finding : list) {
    json.BeginObject().Key("id").String(finding->id).Key("kind").String(findings::KindName(finding->kind));
    json.Key("fingerprint").String(finding->fingerprint).Key("message").String(finding->message).EndObject();
  }
  json.EndArray();
}

// What is missing in AFTER is fixed only when AFTER went through every execution.
std::string_view GoneWord(const findings::Report& after) {
  return findings::SearchedAll(after.coverage) ? "fixed" : "gone";
}

std::string DiffJson(const Comparison& comparison, const findings::Report& after) {
  JsonWriter json;
  bool fixed = GoneWord(after) == "fixed";
  json.BeginObject().Key("schema").String("heddle/diff/1");
  WriteList(json, "new", comparison.added);
  WriteList(json, "fixed", fixed ? comparison.gone : std::vector<const Finding*>());
  WriteList(json, "gone", fixed ? std::vector<const Finding*>() : comparison.gone);
  WriteList(json, "unchanged", comparison.unchanged);
  json.Key("undecided").String(after.coverage.undecided);
  json.EndObject();
  return json.Take();
}

void PrintText(const Comparison& comparison, const findings::Report& after) {
  std::string_view gone = GoneWord(after);
  PrintList("new", comparison.added);
  PrintList(gone, comparison.gone);
  PrintList("unchanged", comparison.unchanged);
  fmt::print("{} new, {} {}, {} unchanged\n", comparison.added.size(), comparison.gone.size(), gone,
             comparison.unchanged.size());
  if (!after.coverage.undecided.empty()) {
    fmt::print("not decided: the newer run says nothing about what it did not see: {}\n",
               findings::Printable(after.coverage.undecided));
  }
}

// The newest run in the history with this name; names of removed folders are given again.
const HistoryRun* Named(const std::vector<HistoryRun>& runs, const std::string& name) {
  auto found = std::find_if(runs.rbegin(), runs.rend(), [&](const HistoryRun& run) { return run.name == name; });
  return found == runs.rend() ? nullptr : &*found;
}

// A file, a results folder, or the name of a run in the history (whose folder may be gone).
Result<findings::Report> Load(const std::string& root, const std::string& given) {
  std::error_code failure;
  if (!given.empty() && !std::filesystem::exists(given, failure) && given.find('/') == std::string::npos) {
    std::string file = root + "/" + given + "/report.json";
    if (std::filesystem::exists(file, failure)) return findings::LoadReport(file);
    Result<std::vector<HistoryRun>> runs = LoadHistory(root);
    const HistoryRun* run = runs ? Named(*runs, given) : nullptr;
    if (run != nullptr) return analysis::ReportOf(*run);
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: neither a report nor a run; `heddle history --runs` lists the runs", given));
  }
  Result<std::string> path = analysis::FindReport(root, given);
  if (!path) return path.error();
  return findings::LoadReport(*path);
}

struct Pair {
  findings::Report before;
  findings::Report after;
};

// The last run, and the one before it that looked at the same with the same verb.
Result<Pair> LastTwo(const std::string& root) {
  Result<std::vector<HistoryRun>> runs = LoadHistory(root);
  if (!runs) return runs.error();
  const HistoryRun& after = runs->back();
  auto before = std::find_if(runs->rbegin() + 1, runs->rend(), [&](const HistoryRun& run) {
    return run.Verb() == after.Verb() && run.program == after.program;
  });
  if (before == runs->rend()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("{} is the only run of `{}` in the history: nothing to compare",
                                                       after.name, after.program));
  }
  fmt::print(stderr, "{} against {}\n", after.name, before->name);
  return Pair{analysis::ReportOf(*before), analysis::ReportOf(after)};
}

Result<Pair> LoadPair(const std::string& root, const std::string& before_name, const std::string& after_name) {
  if (before_name.empty()) return LastTwo(root);
  Result<findings::Report> before = Load(root, before_name);
  if (!before) return before.error();
  Result<findings::Report> after = Load(root, after_name);
  if (!after) return after.error();
  return Pair{before.Take(), after.Take()};
}

constexpr const char* kDiffExamples =
    "Examples:\n"
    "  heddle diff                                  the last run against the one before it\n"
    "  heddle diff check-3 check-7                  two runs of the history (heddle history --runs)\n"
    "  heddle diff main.json branch.json && echo nothing new\n"
    "A finding that is missing is fixed when the newer run went through every execution, else gone.\n"
    "Exit code 1 when there are new findings, 3 when there are none but the newer run was not decided.";

int RunDiff(const Arguments& arguments) {
  CLI::App app("Compares two runs by the fingerprints of their findings", "heddle diff");
  std::string before_name;
  std::string after_name;
  std::string root;
  std::string json_file;
  app.add_option("BEFORE", before_name, "report file, results folder or run (default: the run before the last)");
  app.add_option("AFTER", after_name, "the newer one (default: the latest)");
  app.add_option("-o", root, "results folder (default HEDDLE_DIR, else .heddle)")->type_name("DIR");
  app.add_option("--json", json_file, "write the comparison as JSON (schema heddle/diff/1) to FILE, - for stdout")
      ->type_name("FILE");
  app.footer(kDiffExamples);
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<Pair> pair = LoadPair(analysis::ResultsRoot(root), before_name, after_name);
  if (!pair) return Fail("diff", pair.error());
  Comparison comparison = findings::Compare(pair->before, pair->after);
  if (json_file == "-") {
    fmt::print("{}", DiffJson(comparison, pair->after));
  } else {
    if (!json_file.empty()) {
      Status written = WriteFileAtomic(json_file, DiffJson(comparison, pair->after));
      if (!written) return Fail("diff", written.error());
    }
    PrintText(comparison, pair->after);
  }
  if (!comparison.added.empty()) return kExitFindings;
  return pair->after.coverage.undecided.empty() ? kExitClean : kExitUndecided;
}

}  // namespace

extern const Verb kDiffVerb;
const Verb kDiffVerb{"diff", "compare two runs: new, gone or fixed, unchanged", RunDiff};

}  // namespace heddle::cli
