// Loops that wait for a change, under a search. A thread that comes to the same place with the same registers and the
// same stack, and has changed nothing that others see since, would only go round again: the round was without effect,
// and executions with it are equivalent to executions without. So the thread is stopped there for good, and the search
// finds the execution in which the change came before ("SAVER", Kokologiannakis et al., FMCAD 2021, does so for loops
// that a compiler proves pure; here the round is compared as it happened).
//
// What a round writes to other memory without an atomic is not compared (docs/explore.md).
//
// When nobody else can go on, each such thread gets one more round: one that comes to the same place again waits for
// what never comes (a livelock); one that leaves its loop shows that the execution was redundant.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

enum class Spin : uint8_t { kNot, kStopped, kChance, kStuck };

struct SpinLoop {
  static constexpr uint32_t kRounds = 64;
  uint32_t seen = 0;  // places since the thread's last effect
  uint64_t places[kRounds] = {};
  uint64_t stopped_at = 0;
  uint64_t first_frame = 0;  // where the thread's stack begins for the program; 0: main's
  Spin state = Spin::kNot;
};

// The calling thread is about to perform an operation that may have no effect; `frame` is that of a function that saved
// all registers right below it (__builtin_unwind_init).
void ComeRound(const void* frame);

// Notes where the calling thread's stack lies.
struct ControlThread;
void FindStack(ControlThread* self);

// Nobody can go on: lets those that were stopped go round once more. False when there are none.
bool LastChance();
// Whether that has happened.
bool InLastRound();

}  // namespace heddle::rt::control
