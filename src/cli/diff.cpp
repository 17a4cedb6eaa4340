// heddle diff: what is new, fixed and unchanged between two reports.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "findings/width.h"

namespace heddle::cli {
namespace {

using findings::Comparison;
using findings::Finding;

void PrintList(std::string_view word, const std::vector<const Finding*>& list) {
  for (const Finding* finding : list) {
    std::string places;
    for (const findings::Step* site : findings::Sites(*finding)) {
      const Frame* frame = UserFrame(site->stack);
      if (frame != nullptr) places += (places.empty() ? "" : ", ") + ShortPlace(*frame);
    }
    fmt::print("{:<10} {}[{}]: {}  {}\n", word, findings::Printable(finding->id), findings::KindName(finding->kind),
               findings::Printable(finding->message), findings::Printable(places));
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

std::string DiffJson(const Comparison& comparison) {
  JsonWriter json;
  json.BeginObject().Key("schema").String("heddle/diff/1");
  WriteList(json, "new", comparison.added);
  WriteList(json, "fixed", comparison.fixed);
  WriteList(json, "unchanged", comparison.unchanged);
  json.EndObject();
  return json.Take();
}

Result<findings::Report> Load(const std::string& given) {
  Result<std::string> path = analysis::FindReport(analysis::ResultsRoot(""), given);
  if (!path) return path.error();
  return findings::LoadReport(*path);
}

int Run(const Arguments& arguments) {
  CLI::App app("Compares two reports by the fingerprints of their findings", "heddle diff");
  std::string before_file;
  std::string after_file;
  std::string json_file;
  app.add_option("BEFORE", before_file, "report file or results folder")->required();
  app.add_option("AFTER", after_file, "the newer one (default: the latest)");
  app.add_option("--json", json_file, "write the comparison as JSON (schema heddle/diff/1) to FILE, - for stdout")
      ->type_name("FILE");
  app.footer(
      "Example:\n  heddle diff main.json branch.json && echo nothing new\nExit code 1 when there are new findings.");
  if (int code = Parse(app, arguments); code >= 0) return code;
  Result<findings::Report> before = Load(before_file);
  if (!before) return Fail("diff", before.error());
  Result<findings::Report> after = Load(after_file);
  if (!after) return Fail("diff", after.error());
  Comparison comparison = findings::Compare(*before, *after);
  if (json_file == "-") {
    fmt::print("{}", DiffJson(comparison));
  } else {
    if (!json_file.empty()) {
      if (Status status = WriteFileAtomic(json_file, DiffJson(comparison)); !status)
        return Fail("diff", status.error());
    }
    PrintList("new", comparison.added);
    PrintList("fixed", comparison.fixed);
    PrintList("unchanged", comparison.unchanged);
    fmt::print("{} new, {} fixed, {} unchanged\n", comparison.added.size(), comparison.fixed.size(),
               comparison.unchanged.size());
  }
  return comparison.added.empty() ? kExitClean : kExitFindings;
}

}  // namespace

extern const Verb kDiffVerb;
const Verb kDiffVerb{"diff", "compare two reports: new, fixed, unchanged", Run};

}  // namespace heddle::cli
