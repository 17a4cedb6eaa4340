// What the engines predict, as findings with their witness: the last operations of the threads concerned, a column for
// each thread.
#pragma once

#include "findings/finding.h"
#include "predict/pattern_search.h"
#include "predict/prediction.h"
#include "predict/property_check.h"
#include "symbolize/trace_names.h"

namespace heddle::predict {

findings::Finding FindingOf(const PredictedRace& race, const ModelledTrace& trace, symbolize::TraceNames& names);
findings::Finding FindingOf(const PredictedDeadlock& deadlock, const ModelledTrace& trace,
                            symbolize::TraceNames& names);
findings::Finding FindingOf(const PredictedPattern& found, const ModelledTrace& trace, symbolize::TraceNames& names);
findings::Finding FindingOf(const AssertionOutcome& violated, Engine engine, const ModelledTrace& trace,
                            symbolize::TraceNames& names);

}  // namespace heddle::predict
