// Whether the program has ever asked for a signal handler: such a program may be woken by anything.
#pragma once

namespace heddle::rt {

bool HandlersInstalled();

}  // namespace heddle::rt
