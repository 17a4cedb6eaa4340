// What every command that runs a program leaves: its report, the link `latest`, and a row in the history.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/history/history.h"
#include "base/result.h"
#include "findings/report.h"

namespace heddle::cli {

enum class HistoryUse { kAdd, kLeaveOut };

// `folder` was made by NewResults in `root`. Returns `code`, or the exit code of what could not be written. A history
// that cannot be written is only warned of: the verdict does not rest on it.
int KeepResults(std::string_view verb, const std::string& root, const std::string& folder,
                const findings::Report& report, int code, HistoryUse history = HistoryUse::kAdd);

// The runs of the history in `root`, oldest first; an error when there are none.
Result<std::vector<analysis::HistoryRun>> LoadHistory(const std::string& root);

}  // namespace heddle::cli
