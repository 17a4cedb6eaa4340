// The reorderings of a model as a CSP_M script (section 4.4 and appendix A of the thesis): PROGRAM performs op.t.p, the
// operation number p of thread t, in every order that the model allows (data free, no lost signals).
//
// Assertions: that PROGRAM has no deadlock (all threads come to `done`), and for each target that no order brings its
// threads to their positions at once (`meet` never happens). A failed one has the witness as its trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/cut_machine.h"
#include "predict/model.h"

namespace heddle::predict {

std::string CspModel(const TraceModel& model, const std::vector<Target>& targets);

// Only the process, called `name`, with channels op and done; then it stops. Its own names all begin with OP_.
std::string CspReorderings(const TraceModel& model, const Constraints& constraints, std::string_view name);

// The same for nothing but the order of the trace. `ends`: all threads came to their end.
std::string CspRun(const TraceModel& model, bool ends, std::string_view name);

}  // namespace heddle::predict
