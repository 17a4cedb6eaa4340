// One event as a line for people: sequence, thread, operation, operands.
#pragma once

#include <string>

#include "trace/event.h"
#include "trace/info.h"

namespace heddle::trace {

std::string PrintEvent(const Event& event, const TraceInfo& info);

}  // namespace heddle::trace
