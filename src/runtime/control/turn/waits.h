// Waits that the scheduler performs itself, because the real ones would block the process: condition variables, futexes
// and barriers. All with the turn.
//
// A signal does not choose whom it wakes: it leaves a token, which any thread may take that was waiting when it came.
// So the choice is one of scheduling, every choice that POSIX allows is possible, and a schedule determines it.
#pragma once

#include <cstdint>

#include "runtime/control/turn/control_thread.h"

namespace heddle::rt::control {

// The calling thread waits at `address` from now on.
void StartWaiting(uint64_t address);
// Whether the thread could take a token, or was woken by a broadcast. Any thread may ask.
bool CanStopWaiting(const ControlThread* thread);
// Field `detail` of a CondWake's point: its wait has ended (kStopWait), and only the mutex is missing.
inline constexpr uint8_t kNeedsOnlyMutex = 1;
// Ends the wait; returns whether it consumed a token (or was woken by a broadcast).
bool StopWaiting();

// Lets up to `count` go on of those that wait and were not let go before; returns how many.
uint32_t WakeSome(uint64_t address, uint32_t count);
// Lets all go on; returns how many wait and were not woken by name, those with a token included.
uint32_t WakeAll(uint64_t address);

void MakeBarrier(uint64_t address, uint32_t count);
void ForgetBarrier(uint64_t address);
bool IsBarrier(uint64_t address);  // it was made and not forgotten
struct Arrival {
  bool last;
  uint64_t round;  // to wait for the end of
};
Arrival ArriveAtBarrier(uint64_t address);
bool BarrierOpen(uint64_t address, uint64_t round);

}  // namespace heddle::rt::control
