// The findings file (output/findings_file.h) when nothing else writes one: modules and threads for the names in
// reports, and what the scheduler has to say.
#pragma once

#include "runtime/mode.h"

namespace heddle::rt::control {

// False, with a message, when it cannot be created.
bool StartBareFindings(const char* path, Mode mode);
void RestartBareFindings();  // in a child of fork

}  // namespace heddle::rt::control
