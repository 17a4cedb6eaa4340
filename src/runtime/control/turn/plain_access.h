// Plain accesses as visible operations (visible=all). The access itself comes behind the call that announces it, so the
// thread keeps the turn until it comes to its next operation.
#pragma once

namespace heddle::rt::control {

// Puts itself before the mode's table.
void WatchPlainAccesses();

}  // namespace heddle::rt::control
