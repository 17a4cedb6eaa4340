// A suite's report as JUnit XML, which CI servers show: a test case for each test, a failure for each test with
// findings, an error for each that is not decided. A report without tests has one test case, the program.
#pragma once

#include <string>

#include "findings/report.h"

namespace heddle::findings {

std::string JunitXml(const Report& report);

}  // namespace heddle::findings
