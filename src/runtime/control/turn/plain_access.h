// Plain accesses as visible operations: all (visible=all), or those of some places (visible=atomics@PC,PC), which an
// exploration has seen racing. The access itself comes behind the call that announces it, so the thread keeps the turn
// until it comes to its next operation.
#pragma once

namespace heddle::rt::control {

// Reads the places: hexadecimal return addresses of the compiler's calls, with commas. False when the text is none.
bool SetPlainPlaces(const char* text);
bool HasPlainPlaces();

// Puts itself before the mode's table.
void WatchPlainAccesses();

}  // namespace heddle::rt::control
