// The plain accesses of an explored execution, for a search that asks for them (ExploreLink::log_accesses).
//
// The pass plugin marks what the calls for accesses do not tell (instrument/pass/marks.h). A program with a unit that
// was compiled without it has no log: ExploreLink::accesses_lost says so.
#pragma once

namespace heddle::rt::control {

// Puts itself before the mode's table when there is a search that asks.
void StartAccessLog();
// Before each execution.
void ClearAccessLog();
// An instrumented unit (an object file) has registered.
void NoteUnit();

}  // namespace heddle::rt::control
