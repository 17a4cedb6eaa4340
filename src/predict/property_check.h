// Checks a property on the reorderings of a model with the CSP engine; each assertion that fails has its witness.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "csp/csp.h"
#include "predict/property_script.h"

namespace heddle::predict {

struct PropertyLimits {
  uint64_t states = 10'000'000;
  double seconds = 60;  // for each assertion
};

struct AssertionOutcome {
  csp::CheckResult result;
  Witness witness;  // failed: the order that violates it, in the model that was given
};

// One outcome for each assertion of the property. An error when the script cannot be loaded or run: the property is
// wrong, and the message says where.
Result<std::vector<AssertionOutcome>> CheckProperty(const TraceModel& model,
                                                    const std::map<uint64_t, std::string>& strings,
                                                    const Property& property, const Constraints& constraints,
                                                    PropertyLimits limits,
                                                    const std::vector<std::string>& include_paths);

// Whether the run that the trace recorded violates assertion number `assertion`. `ends`: it came to its end.
Result<bool> RunViolates(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                         const Property& property, size_t assertion, bool ends,
                         const std::vector<std::string>& include_paths);

}  // namespace heddle::predict
