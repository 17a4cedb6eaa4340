// Between the runtime and libheddle_inside.so, which has the search for explorations within a test's own process
// (include/heddle/explore.h). The runtime loads it when a test first asks for one. Freestanding.
#pragma once

#include "heddle/explore_call.h"
#include "sched/explore_link.h"

namespace heddle::sched {

enum class InsideNext : uint32_t {
  kPerform,  // the request is in the link
  kLast,     // the same, and what it does stays: an execution that went wrong, for the test to see
  kDone,
};

// Learns from the last execution and asks for the next one; `search` is its own, null at first. Called on another
// stack, with a heap that executions do not touch.
using InsideStep = InsideNext (*)(void** search, const heddle_explore_options* options, ExploreLink* link,
                                  heddle_exploration* result);
inline constexpr const char* kInsideStepName = "heddle_inside_step";

}  // namespace heddle::sched
