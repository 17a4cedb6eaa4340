// Code that heddle does not see into. Its calls of pthread_* and the like are seen, its atomics and plain accesses are
// not: threads could tell each other something there.
#pragma once

namespace heddle::rt::control {

// Names the modules of the process that are not instrumented and not the C or C++ library as gaps (gaps.h). In the
// server, before the first execution.
void NoteForeignModules();
// Whether there were any.
bool HasForeignModules();

}  // namespace heddle::rt::control
