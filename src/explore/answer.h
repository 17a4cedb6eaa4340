// Requests and answers of the search as they stand in the memory that is shared with the target.
#pragma once

#include "explore/execution.h"
#include "wire/explore_link.h"

namespace heddle::explore {

void PutRequest(const Request& request, wire::ExploreLink* link);
// What the execution that has ended did. An execution that was killed ends with an event that commutes with nothing.
void TakeAnswer(const wire::ExploreLink& link, Execution* execution);

}  // namespace heddle::explore
