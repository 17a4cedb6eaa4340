// Which signal woke which wait. POSIX does not tell, so a matching is kept that is always consistent with what was
// seen: a signal marks the oldest wait that no signal has marked; a thread that wakes without a mark takes the mark of
// another wait that is older than the signal (the kernel chose differently than we guessed); a wait that ends by
// timeout hands its mark on. A wake without any mark to take is spurious.
//
// Waits are nodes inside their Thread: no allocation. Called by the recording mode with the operation's sequence.
#pragma once

#include <cstdint>

namespace heddle::rt {

struct Thread;

void CondWaitStarts(Thread* thread, uint64_t cond, uint64_t sequence);
void CondSignalled(uint64_t cond, uint64_t sequence, bool all);

// Ends the thread's wait; the sequence number of the signal that woke it, 0 when none did.
uint64_t CondWaitEnds(Thread* thread, bool timed_out);

void LockCondMatching();  // around fork
void UnlockCondMatching();

}  // namespace heddle::rt
