// The report as one HTML file (web/): the page that was built into heddle, with the report and the source lines that it
// names as data. Whatever the target's names, messages and sources contain stays data: the JSON has no character that
// ends a script element or starts markup, and none that turns text around.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "findings/report.h"

namespace heddle::findings {

// Lines of a file from `first` on.
struct Excerpt {
  uint32_t first = 1;
  std::vector<std::string> lines;

  bool operator==(const Excerpt&) const = default;
};
using Excerpts = std::map<std::string, std::vector<Excerpt>>;  // by the file's name in the report

// The lines around every step, as they are on disk now. Files that cannot be read are left out. A name without a folder
// is looked for among the report's other files.
Excerpts SourceExcerpts(const Report& report);

// JSON that may stand inside a script element: equal to `json` for every JSON reader.
std::string ScriptSafe(std::string_view json);

// `page` has the mark HEDDLE_DATA where the data goes; without it the result is empty. `baseline`: findings that are
// not in one are new.
std::string ReportHtml(std::string_view page, const Report& report, const Excerpts& sources, bool baseline);

}  // namespace heddle::findings
