// Whether a data race that the detector saw in a run is the one of a static finding.
#pragma once

#include <string>

#include "findings/finding.h"

namespace heddle::analysis {

// The same two lines, or one of them and the same variable: a static finding stands for all places of its variable.
// Never when both name what they access and the names differ: two variables may be accessed on one line.
bool SameRace(const findings::Finding& stated, const findings::Finding& shown);

// " at a.c:3 and a.c:7", sorted; without the folder.
std::string RaceLines(const findings::Finding& race);

// file:line of an access, without the folder: debug info of the bitcode and of the program name it differently.
std::string LineOfAccess(const findings::Step& step);

}  // namespace heddle::analysis
