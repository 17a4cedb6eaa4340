// Reading the steps that a run left (step_format.h). Whatever happened to the process, the steps before are there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/step_format.h"

namespace heddle::sched {

struct Steps {
  std::vector<wire::Step> steps;
  uint64_t count = 0;  // performed
  std::string damage;  // why some are missing; empty when none is
};

// An error when `bytes` is no such file at all. None is read when there are more than `most`.
Result<Steps> ParseSteps(const std::string& name, std::string_view bytes, uint64_t most = UINT64_MAX);

}  // namespace heddle::sched
