// What the scheduler in the target wrote into the findings file besides findings: where a replay diverged, or where
// every thread stood when the run was stopped. Reading stops at nothing: unknown and broken lines are passed over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/findings_file.h"

namespace heddle::sched {

struct Divergence {
  uint64_t step = 0;  // from 1
  wire::DivergedBy why = wire::DivergedBy::kOperation;
  std::string thread;     // id: expected
  std::string operation;  // expected
  std::string came;       // the operation that came; ? when none did
  uint64_t came_pc = 0;
};

struct Standing {
  uint32_t thread = 0;  // number
  std::string operation;
  bool blocked = false;
  std::vector<uint64_t> stack;
};

// What the program printed is not what the recording has.
struct OutputDifference {
  uint64_t step = 0;  // from 1
  uint32_t thread = 0;
  uint64_t pc = 0;
  std::string text;  // the beginning of what came
};

struct ControlLines {
  std::optional<OutputDifference> output;
  std::optional<Divergence> divergence;
  std::optional<uint64_t> stopped;  // after so many steps
  std::vector<Standing> standing;
};

ControlLines ParseControlLines(std::string_view text);

}  // namespace heddle::sched
