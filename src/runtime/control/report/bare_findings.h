// The findings file (output/findings_file.h) when nothing else writes one: modules and threads for the names in
// reports, and what the scheduler has to say.
#pragma once

#include "runtime/mode.h"

namespace heddle::rt::control {

// False, with a message, when it cannot be created.
bool StartBareFindings(const char* path, Mode mode);
void RestartBareFindings();  // in a child of fork
// In a process that took a checkpoint up: the file is another one, and the old one is not open.
void MoveBareFindings(const char* path);

}  // namespace heddle::rt::control
