// The report as a person reads it in a terminal: the sites first, then the witness with a column for each thread, why,
// help, the command that replays it; the last line says what was covered.
#pragma once

#include <string>

#include "findings/report.h"

namespace heddle::findings {

struct TextOptions {
  bool color = false;    // the caller decides: terminal, NO_COLOR
  bool verbose = false;  // also where each thread was created, and every witness row
  size_t width = 120;    // columns of the screen; a witness that is wider becomes a list
  bool wrap = false;     // no line is wider than that, but for commands
  size_t max_rows = 24;  // of a witness; earlier rows are left out and counted
};

// One finding, ending in a newline.
std::string FindingText(const Finding& finding, const TextOptions& options);

// "1 finding (1 confirmed) · 1 run, 12 events, 2 threads · all reorderings of this trace checked · 0.2 s", no newline.
std::string CoverageLine(const Report& report);

// Every active finding, an empty line between two, then the coverage line.
std::string ReportText(const Report& report, const TextOptions& options);

}  // namespace heddle::findings
