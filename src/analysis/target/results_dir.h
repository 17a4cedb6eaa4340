// Where results go: the folder .heddle in the current one (-o DIR or HEDDLE_DIR choose another), a numbered folder for
// each command in it, and `latest`, a link to the last one that finished, which the next command takes by default.
//
//   .heddle/check-1/report.json   .heddle/check-1/F1.schedule   .heddle/latest -> check-1
#pragma once

#include <string>

#include "base/result.h"

namespace heddle::analysis {

// The root folder: `option` (from -o) when not empty, else HEDDLE_DIR, else ".heddle".
std::string ResultsRoot(const std::string& option);

// Makes a new folder root/NAME-N with the first free N. Two heddles at once get two folders.
Result<std::string> NewResults(const std::string& root, const std::string& name);

// Points root/latest at `folder` (made by NewResults) in one step. Call it when the results are complete.
Status PublishResults(const std::string& root, const std::string& folder);

// root/latest/report.json, with an error that says what to do when there is none.
Result<std::string> LatestReport(const std::string& root);

// What a user names as a report: a file, a results folder, or nothing (the latest).
Result<std::string> FindReport(const std::string& root, const std::string& given);

}  // namespace heddle::analysis
