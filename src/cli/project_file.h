// heddle.toml: options that everybody who works on a project should use (docs/project-file.md).
//
//   color = "never"          # of every verb that has the option
//   [check]
//   time = "30s"
//   suppressions = "ci/heddle.supp"     # paths are relative to this file
//   [trace.record]
//   options = "..."
//
// The file is looked for in the current folder and the folders above it up to the root of the repository. What the
// command line says wins. The whole file is checked whatever the verb, so that an error does not wait for its day.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"

namespace heddle::cli {

inline constexpr const char* kProjectFile = "heddle.toml";

// The path of the file for this folder; empty when there is none. HEDDLE_CONFIG names another, or none when it is
// empty.
std::string FindProjectFile();

// Arguments that `path` has for `app`, which are not given in `arguments`: to put before them. Errors have line, column
// and caret for each wrong place.
Result<Arguments> ProjectArguments(const std::string& path, CLI::App& app, const Arguments& arguments);

}  // namespace heddle::cli
