// Between the runtime and libheddle_in_process.so, which has the search for explorations within a test's own process
// (include/heddle/explore.h). The runtime loads it when a test first asks for one. Freestanding.
#pragma once

#include "heddle/explore_call.h"
#include "wire/explore_link.h"

namespace heddle::wire {

enum class InProcessNext : uint32_t {
  kPerform,  // the request is in the link
  kLast,     // the same, and what it does stays: an execution that went wrong, for the test to see
  kDone,
};

// Learns from the last execution and asks for the next one; `search` is its own, null at first. Called on another
// stack, with a heap that executions do not touch.
using InProcessStep = InProcessNext (*)(void** search, const heddle_explore_options* options, ExploreLink* link,
                                        heddle_exploration* result);
inline constexpr const char* kInProcessStepName = "heddle_in_process_step";

}  // namespace heddle::wire
