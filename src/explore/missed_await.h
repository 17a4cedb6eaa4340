// C11 memory: awaits that could have missed what they waited for.
//
// An await reads a store that meets its condition, also an older one while C11 allows that; the search explores those.
// But the thread may as well look only when a later store is there that does not meet it, and then wait for ever (a
// thread reads the last store of a location in the end). Executions like that are not performed. Take the await and all
// that happens after it out of an execution: what is left is an execution of the program in which the thread stands at
// the await. When the location's last store of those that are left does not meet the condition, it may stand there for
// ever.
//
// Nothing is overlooked: if a thread can wait for ever although it could read an older store that lets it go, then the
// execution in which it reads that one after all else has happened is performed, and shows it.
#pragma once

#include "explore/happens_before.h"

namespace heddle::explore {

// Whether an await of the execution, which has ended, could have.
bool MayMissAwait(const HappensBefore& order);

}  // namespace heddle::explore
