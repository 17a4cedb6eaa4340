// Children of a program that is replayed: their ids are the recorded ones, and they are made again.
#pragma once

#include <sys/types.h>

namespace heddle::rt {

// fork made `made`, and the program is told `told`.
void NoteChild(pid_t told, pid_t made);
// A recorded wait says that the child has ended: gives the one that was made a second to do so too, so that what it
// prints comes before what follows. It may be waiting for input that a replay does not send: then it is left alone.
void AwaitMadeChild(pid_t told);

}  // namespace heddle::rt
