// Reading the steps that a run left (step_format.h). Whatever happened to the process, the steps before are there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/step_format.h"

namespace heddle::sched {

struct Steps {
  std::vector<wire::Step> steps;
  std::string damage;  // why some are missing; empty when none is
};

// An error when `bytes` is no such file at all.
Result<Steps> ParseSteps(const std::string& name, std::string_view bytes);

}  // namespace heddle::sched
