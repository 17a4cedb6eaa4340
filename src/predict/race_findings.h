// Races of a trace as findings.
#pragma once

#include "findings/finding.h"
#include "predict/access_point.h"
#include "predict/locksets.h"
#include "symbolize/trace_names.h"

namespace heddle::predict {

using symbolize::TraceNames;

// The frames of a code address; of an imported trace, the place in it.
Stack StackAt(uint64_t pc, uint32_t stack, TraceNames& names);

// An access as a step of a finding; `site`: Step::site.
findings::Step AccessStep(uint32_t site, const AccessPoint& access, const std::string& variable,
                          const Locksets& locksets, TraceNames& names);

findings::Finding RaceFinding(const RacePair& race, const Locksets& locksets, TraceNames& names);

}  // namespace heddle::predict
