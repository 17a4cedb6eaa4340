// The page that `--html` fills with a report.
#pragma once

#include <string_view>

namespace heddle::cli {

// Empty when heddle was built without it (cmake/HeddlePage.cmake).
std::string_view ReportPage();

}  // namespace heddle::cli
