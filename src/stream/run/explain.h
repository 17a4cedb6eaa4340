// Where an output event came from: the input events that it depends on, found by going back through the graph.
//
// The run is recorded: for each node the times of its events, for each input the values. So memory grows with the
// trace here, unlike in monitoring; a limit on events keeps it bounded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "stream/run/machine.h"
#include "stream/text/event_source.h"

namespace heddle::stream {

struct ExplainOptions {
  std::string stream;
  int64_t time = -1;       // of the output event; -1: the first
  size_t max_inputs = 40;  // the newest are kept
};

struct Cause {
  int64_t time = 0;
  std::string input;
  std::string value;
  std::string via;  // the definition nearest to the input on the way
};

struct Explanation {
  int64_t time = 0;
  std::string value;
  std::vector<Cause> causes;                                // newest first
  std::vector<std::pair<std::string, std::string>> beside;  // other inputs at the same time
  size_t left_out = 0;
};

Result<Explanation> Explain(const Program& program, EventSource& source, const ExplainOptions& options);

}  // namespace heddle::stream
