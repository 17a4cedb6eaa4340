#include "cli/keep_results.h"

#include <fmt/format.h>

#include "analysis/target/results_dir.h"
#include "base/frame.h"
#include "cli/verb.h"
#include "findings/report_json.h"

namespace heddle::cli {
namespace {

Status AddToHistory(const std::string& root, const std::string& folder, const findings::Report& report) {
  Result<std::unique_ptr<analysis::HistoryFile>> history = analysis::HistoryFile::Open(root);
  if (!history) return history.error();
  analysis::HistoryRun run = analysis::RunOf(Basename(folder), report);
  run.time = analysis::TimeNow();
  run.revision = analysis::SourceRevision();
  return (*history)->Add(run);
}

}  // namespace

int KeepResults(std::string_view verb, const std::string& root, const std::string& folder,
                const findings::Report& report, int code, HistoryUse history) {
  Status saved = findings::SaveReport(report, folder + "/report.json");
  if (saved) saved = analysis::PublishResults(root, folder);
  if (!saved) return Fail(verb, saved.error());
  if (history == HistoryUse::kLeaveOut) return code;
  if (Status added = AddToHistory(root, folder, report); !added) {
    fmt::print(stderr, "warning: this run is not in the history: {}\n", added.error().message);
  }
  return code;
}

Result<std::vector<analysis::HistoryRun>> LoadHistory(const std::string& root) {
  if (!analysis::HistoryFile::Exists(root)) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no history in `{}`: run `heddle check` first", root));
  }
  Result<std::unique_ptr<analysis::HistoryFile>> file = analysis::HistoryFile::Open(root);
  if (!file) return file.error();
  Result<std::vector<analysis::HistoryRun>> runs = (*file)->Runs();
  if (runs && runs->empty()) return MakeError(ErrorCode::kNotFound, fmt::format("the history in `{}` is empty", root));
  return runs;
}

}  // namespace heddle::cli
