// Delta debugging of context switches (Zeller and Hildebrandt's ddmin): the smallest part of a list, with regard to
// leaving out any single element, for which a test still says yes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sched/schedule.h"
#include "wire/step_format.h"

namespace heddle::sched {

// The switches of a schedule: behind which step of which thread another goes on.
std::vector<wire::Switch> SwitchesOf(const Schedule& schedule);

// The file for the strategy `guided`.
std::string CompileSwitches(const Schedule& schedule, std::vector<wire::Switch> switches);

// `fails` is asked for parts of the list; it has said yes to the whole of it. Stops early, with what it has, when
// `fails` says no `patience` times in a row (0: never).
std::vector<wire::Switch> Shrink(std::vector<wire::Switch> switches,
                                 const std::function<bool(const std::vector<wire::Switch>&)>& fails,
                                 uint64_t patience = 0);

}  // namespace heddle::sched
