// heddle suppress: writes a suppression with its reason for a finding of a report.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "analysis/target/results_dir.h"
#include "base/file.h"
#include "base/near.h"
#include "cli/report_output.h"
#include "cli/verb.h"
#include "findings/report_json.h"
#include "findings/suppressions.h"
#include "findings/width.h"

namespace heddle::cli {
namespace {

using findings::Finding;

Result<const Finding*> Choose(const findings::Report& report, const std::string& id, const std::string& path) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : report.findings) {
    if (finding.id == id || finding.fingerprint == id) return &finding;
    ids.push_back(finding.id);
  }
  std::string known = ids.empty() ? "it has no findings" : fmt::format("it has {}", fmt::join(ids, ", "));
  return MakeError(ErrorCode::kUsage, fmt::format("no finding `{}` in {}: {}", id, path, known));
}

// A rule that other tools read too, for everything in the first site's function.
Result<std::string> FunctionRule(const Finding& finding) {
  std::vector<const findings::Step*> sites = findings::Sites(finding);
  const Frame* frame = sites.empty() ? nullptr : UserFrame(sites[0]->stack);
  if (frame == nullptr || frame->function.empty()) {
    return MakeError(
        ErrorCode::kUsage,
        fmt::format("{} has no function name; leave out --by function to use its fingerprint", finding.id));
  }
  std::string_view type = finding.kind == findings::Kind::kDataRace ? "race" : findings::KindName(finding.kind);
  return fmt::format("{}:^{}$", type, frame->function);
}

// The file's text so far; a file that is not there is empty.
Result<std::string> Existing(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return std::string();
  return ReadFile(path);
}

// The rule of the file that hides the finding already, if any.
std::string HiddenBy(const std::string& path, const std::string& text, const Finding& finding) {
  SourceMap sources;
  findings::SuppressionSet set = findings::ParseSuppressions(sources, sources.Add(path, text));
  for (const findings::Suppression& rule : set.rules) {
    if (findings::Matches(rule, finding)) return sources.Where(rule.span);
  }
  return {};
}

int Write(const Finding& finding, const std::string& rule, const std::string& reason, const std::string& path) {
  Result<std::string> text = Existing(path);
  if (!text) return Fail("suppress", text.error());
  if (std::string where = HiddenBy(path, *text, finding); !where.empty()) {
    fmt::print(stderr, "{} is suppressed already at {}\n", finding.id, where);
    return kExitClean;
  }
  if (!text->empty() && text->back() != '\n') *text += '\n';
  *text += fmt::format("# {} ({}: {})\n{}\n", reason, findings::KindName(finding.kind),
                       findings::Printable(finding.message), rule);
  if (Status status = WriteFileAtomic(path, *text); !status) return Fail("suppress", status.error());
  fmt::print(stderr, "{}: {}\n", path, rule);
  return kExitClean;
}

int RunSuppress(const Arguments& arguments) {
  CLI::App app("Writes a suppression for a finding, with the reason", "heddle suppress");
  std::string id;
  std::string reason;
  std::string report_file;
  std::string file = kSuppressionsFile;
  std::string by = "fingerprint";
  app.add_option("FINDING", id, "id (F1) or fingerprint")->required();
  app.add_option("--reason", reason, "why it is no bug, or why it can wait")->required();
  app.add_option("--report", report_file, "report file or results folder (default: the latest)")->type_name("FILE");
  app.add_option("--file", file, "suppression file to add to")->capture_default_str()->type_name("FILE");
  app.add_option("--by", by, "fingerprint: this finding only; function: all of its kind in the first site's function")
      ->check(CLI::IsMember({"fingerprint", "function"}))
      ->capture_default_str();
  app.footer("Example:\n  heddle suppress F1 --reason \"statistics only, may lose counts\"");
  if (int code = Parse(app, arguments); code >= 0) return code;
  if (reason.find_first_not_of(" \t") == std::string::npos || reason.find('\n') != std::string::npos) {
    return Fail("suppress", MakeError(ErrorCode::kUsage, "--reason must be one line that says something"));
  }
  Result<std::string> path = analysis::FindReport(analysis::ResultsRoot(""), report_file);
  if (!path) return Fail("suppress", path.error());
  Result<findings::Report> report = findings::LoadReport(*path);
  if (!report) return Fail("suppress", report.error());
  Result<const Finding*> finding = Choose(*report, id, *path);
  if (!finding) return Fail("suppress", finding.error());
  Result<std::string> rule = by == "function" ? FunctionRule(**finding) : "fingerprint:" + (*finding)->fingerprint;
  if (!rule) return Fail("suppress", rule.error());
  return Write(**finding, *rule, reason, file);
}

}  // namespace

extern const Verb kSuppressVerb;
const Verb kSuppressVerb{"suppress", "hide a finding from now on, with a reason", RunSuppress};

}  // namespace heddle::cli
