// The files that one run of a program leaves in its folder, by name.
#pragma once

#include <string>
#include <vector>

namespace heddle::analysis {

inline constexpr char kFindingsName[] = "/findings.record";  // wire/findings_file.h; children of the program add .PID
inline constexpr char kStepsName[] = "/steps";               // wire/step_format.h: what was performed
inline constexpr char kCallsName[] = "/calls";               // wire/demo_format.h: what calls returned
inline constexpr char kEnforceName[] = "/enforce";           // the same: a schedule to follow
inline constexpr char kPlanName[] = "/plan";                 // wire/steer_format.h: where to lead threads
inline constexpr char kReplayTraceName[] = "/replay.trace";  // of a replay that is recorded

// The findings files of the program and of those that it forked, its own first.
std::vector<std::string> FindingsFiles(const std::string& folder);

// Removes all of the above but further findings files.
void RemoveRunFiles(const std::string& folder);

}  // namespace heddle::analysis
