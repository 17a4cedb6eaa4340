// Others than the program's own threads: processes outside, who live in real time. While they are expected to act, a
// wait with a limit must give them the time that it says, or the program fails under heddle alone.
//
// Virtual time lets a sleep or a time limit pass at once. That is right as long as only the program's threads can end
// the wait. It is wrong when a client, a server or a child process would have ended it: such waits last (WaitsLast).
// Where a schedule or a search decides who goes next, being picked means that the wait ends now, so there the thread
// waits in the kernel with the turn (WaitsInPlace).
#pragma once

#include <poll.h>
#include <time.h>

#include <cstdint>

namespace heddle::rt::control {

enum class Outsider : uint8_t {
  kClient,  // the program listens on a socket
  kServer,  // it connects to one
  kParent,  // it is a child that fork made
  kInput,   // it waits for standard input
};
void ExpectOthers(Outsider who);

// `--time-mode`: real expects others from the start, virtual never.
void AlwaysExpectOthers();
void NeverExpectOthers();
void ForgetOthers();

// Whether waits with a limit last as long as they say although the strategy chooses. The clocks are virtual all the
// same, and run on with such waits. With the turn, or before the wait.
bool WaitsLast();
// Whether they last within the turn: nobody else runs meanwhile.
bool WaitsInPlace();
// Whether a socket that an execution made may lead out of the process. One that listens is taken to talk to itself.
bool TalksOutside();

// Before a wait with a limit: for standard input, others are expected.
void ExpectInput(const pollfd* waits, uint32_t count);

// With the turn: until a descriptor is ready or the time is over. As ppoll.
int WaitInPlace(pollfd* waits, uint32_t count, const timespec& span);

}  // namespace heddle::rt::control
