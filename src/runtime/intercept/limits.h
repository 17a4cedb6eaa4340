// Limits that the program sets for itself (limits.cpp).
#pragma once

namespace heddle::rt {

// The program is about to forbid system calls: what kills it from now on may be a call of ours.
void NoteSeccomp();

}  // namespace heddle::rt
