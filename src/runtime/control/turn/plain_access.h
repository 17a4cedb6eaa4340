// Plain accesses as visible operations: all (visible=all), or those of some places (visible=atomics@PC,PC-PC), which an
// exploration has seen racing or a steered run leads to. The access itself comes behind the call that announces it, so
// the thread keeps the turn until it comes to its next operation. Volatile ones (visible=volatile) are performed in a
// turn of their own (abi/volatile.cpp), so that everything else still runs in parallel.
#pragma once

namespace heddle::rt::control {

// Reads the places: hexadecimal return addresses of the compiler's calls, or ranges FIRST-LAST of them, with commas.
// False when the text is none.
bool SetPlainPlaces(const char* text);

// Puts itself before the mode's table where the level of visibility asks for it.
void WatchPlainAccesses();

}  // namespace heddle::rt::control
