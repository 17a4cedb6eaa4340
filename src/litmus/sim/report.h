// The answer of a simulation as text, in the form that herd prints, and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "litmus/sim/simulate.h"

namespace heddle::litmus {

// "1:EAX=0; x=2;"
std::string ShowState(const Test& test, const SimState& state);
std::string_view ObservationWord(const SimResult& result);
// A block that ends in an empty line. `racy`: judge the states of an undefined test all the same.
std::string TextReport(const Test& test, const std::string& model, const SimResult& result, bool racy);
void JsonReport(JsonWriter& json, const Test& test, const std::string& model, const SimResult& result, double seconds);

}  // namespace heddle::litmus
