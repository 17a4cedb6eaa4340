// heddle's analyses as functions: what an IDE or a CI system links instead of starting the command.
//
//   heddle::analysis::Request request{{"./test", "--once"}, "results"};
//   heddle::Result<heddle::findings::Report> report = heddle::analysis::Detect(request);
//   if (!report) return Complain(report.error().message);
//   for (const heddle::findings::Finding& finding : report->findings) Show(finding);
//
// Nothing here prints or exits. The program's own output goes where the caller's goes. One call at a time in a process:
// a call handles SIGINT and SIGTERM while it lasts, and ends with what is known so far.
//
// A report says what was covered (Report::coverage): "no findings" means something only together with it. When
// coverage.undecided is not empty, the run was cut, killed or denied, and nothing may be concluded from silence.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "findings/report.h"

namespace heddle::analysis {

struct Request {
  std::vector<std::string> command;  // a program that was built with heddle cc, and its arguments
  std::string results;               // schedules and traces go into a new folder in it; made when it is missing
  double seconds = 60;               // for all of it; a program that still runs then is ended
};

// Errors of all four: kUsage without a command, kNotFound and kIo when the program cannot be started or the results not
// written, kUnsupported when the program was not built with heddle cc or cannot be controlled.

// One run at full speed, watched: races, deadlocks, misuse.
Result<findings::Report> Detect(const Request& request);

// One run, and every other order of it: races and deadlocks, confirmed by replay where that succeeds.
Result<findings::Report> Predict(const Request& request);

// The executions of the program that differ in the order of its operations, as many as the time allows.
Result<findings::Report> Explore(const Request& request);

// The main job, as `heddle check` does it: one run, every other order of it, then other executions for at most five
// seconds of the time; everything confirmed by replay where that succeeds.
Result<findings::Report> Check(const Request& request);

}  // namespace heddle::analysis
