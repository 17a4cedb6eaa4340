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

// What is drawn with the parts of a finding and is none: a counterexample of a model, an execution of a litmus test.
struct ViewLabel {
  std::string kind;    // "counterexample", "execution"
  std::string status;  // "failed", "allowed", "forbidden"
};

// An output stream of a monitor.
struct StreamView {
  struct Point {
    int64_t time = 0;
    std::string text;   // of the value
    double number = 0;  // of the value, where it is one
  };
  std::string name;
  std::string style = "events";  // "bool": on and off; "graph": a number over time
  bool finding = false;          // an event of it is a finding
  uint64_t left_out = 0;         // events that are not in `points`
  std::vector<Point> points;
};

// What a page shows besides the findings of a report.
struct PageExtras {
  std::string heading;  // instead of the count of findings; "" for none
  Report views;         // its findings are the views
  std::vector<ViewLabel> labels;
  std::vector<StreamView> streams;
};

// `page` has the mark HEDDLE_DATA where the data goes; without it the result is empty. `baseline`: findings that are
// not in one are new.
std::string ReportHtml(std::string_view page, const Report& report, const Excerpts& sources, bool baseline,
                       const PageExtras& extras = {});

}  // namespace heddle::findings
