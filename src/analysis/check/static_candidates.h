// The part of check that uses bitcode: deadlocks and races that the static analysis sees as possible, and runs that are
// led into them.
#pragma once

#include "analysis/check/check_program.h"

namespace heddle::analysis {

// When PROGRAM.bc is beside the program, or the program carries bitcode, and time is left, runs heddle deadlock with
// --races and --confirm on both in a process of its own, which is ended with the budget; no run begins after a quarter
// of it. Takes over what a run met; the other candidates are only counted, in the coverage's note. Returns the seconds
// that it took; 0: there was no bitcode.
double SteerToCandidates(const CheckRun& run, findings::Report& report);

// The part that does not run anything: what the other report confirmed, and how many candidates it has.
void TakeCandidates(const findings::Report& candidates, findings::Report& report);

}  // namespace heddle::analysis
