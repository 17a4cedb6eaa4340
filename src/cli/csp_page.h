// Counterexamples of CSP assertions on the report page.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "csp/csp.h"
#include "findings/html.h"

namespace heddle::cli {

// A view for each assertion with a counterexample: a column for each sequential process, a row for each step.
findings::PageExtras CspViews(const std::vector<csp::CheckResult>& results);

Status WriteCspPage(const std::string& path, const std::string& file, const std::vector<csp::CheckResult>& results);

}  // namespace heddle::cli
