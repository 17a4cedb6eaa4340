// What a findings file says, as findings of a report.
#pragma once

#include "detect/findings_file.h"
#include "detect/lock_order.h"
#include "detect/names.h"
#include "findings/finding.h"
#include "findings/report.h"

namespace heddle::detect {

findings::Finding RaceFinding(const Race& race, Names& names);
findings::Finding MisuseFinding(const Misuse& misuse, Names& names);
findings::Finding CycleFinding(const std::vector<LockEdge>& edges, const LockCycle& cycle, Names& names);
findings::Finding DeadlockFinding(const Deadlock& deadlock, Names& names);

// All findings of a file, and into `coverage` what bounds them.
void AddFindings(const FindingsFile& file, findings::Report& report);

}  // namespace heddle::detect
