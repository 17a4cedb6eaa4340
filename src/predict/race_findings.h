// Races of a trace as findings.
#pragma once

#include "findings/finding.h"
#include "predict/hybrid.h"
#include "predict/names.h"

namespace heddle::predict {

findings::Finding RaceFinding(const RacePair& race, const Locksets& locksets, TraceNames& names);

}  // namespace heddle::predict
