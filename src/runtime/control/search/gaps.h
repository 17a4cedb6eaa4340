// What an explored program does that the search does not model: a call through which threads or executions may tell
// each other something. Such a search is not complete, and the report names the call (docs/explore.md).
#pragma once

namespace heddle::rt::control {

// Notes the reason, once; nothing outside a search. `text` goes behind "not complete: ". Any thread with the turn.
void NoteGap(const char* text);

// The same, for calls that only matter while there are several threads.
void NoteSharedGap(const char* text);

// The calling thread uses a stream of stdio, which has a lock inside libc: what one thread reads or writes there
// another one can see.
void NoteStream(const void* file);

// Virtual time: one thread sleeps and another one looks at the clock.
void NoteSleep();
void NoteClock();

}  // namespace heddle::rt::control
