// Races of a trace as findings.
#pragma once

#include "findings/finding.h"
#include "predict/hybrid.h"
#include "symbolize/trace_names.h"

namespace heddle::predict {

using symbolize::TraceNames;

findings::Finding RaceFinding(const RacePair& race, const Locksets& locksets, TraceNames& names);

}  // namespace heddle::predict
