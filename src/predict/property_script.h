// The CSP_M script that a user's property is checked with (docs/properties.md): the channels of the run, PROGRAM, which
// performs all reorderings of it under these names, and then the property file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "predict/cut_machine.h"
#include "predict/model.h"

namespace heddle::predict {

struct Property {
  std::string path;
  std::string text;                   // of the file
  std::vector<std::string> declared;  // events that may come besides those of the trace, as aspects write them
};

// The words of a CSP_M text that could be names, without comments.
std::map<std::string, bool> WordsOf(const std::string& text);  // true: declared there as a channel

// `strings`: of the trace. The operations keep their op.t.p below renaming and hiding, so that a counterexample says
// which they were.
std::string PropertyScript(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                           const Property& property, const Constraints& constraints);

// The same for the order of the trace itself. `ends`: all threads came to their end.
std::string PropertyRunScript(const TraceModel& model, const std::map<uint64_t, std::string>& strings,
                              const Property& property, bool ends);

}  // namespace heddle::predict
