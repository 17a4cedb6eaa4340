// Loops that wait for a change, under a search. A thread that comes to the same place with the same registers and the
// same stack, and has left nothing changed that others see since, would only go round again: executions with the round
// are equivalent to executions without. So the thread is stopped there for good, and the search finds the execution in
// which the change came before ("SAVER", Kokologiannakis et al., FMCAD 2021, does so for loops that a compiler proves
// pure; here the round is compared as it happened).
//
// A round may write plain memory if it leaves there what it found: the old values are kept (NoteRoundWrite) and
// compared when the place comes again. It may take locks and give them back, as long as no other thread failed to get
// one of them meanwhile: that thread saw the round. Every other operation with an effect begins anew. docs/explore.md
// has the argument.
//
// When nobody else can go on, each such thread gets another round, compared with itself only: one that comes to a place
// of that round again waits for what never comes (a livelock); one that does anything else shows that the execution was
// redundant. Where code without instrumentation is in the process, a round may have changed memory unseen: then such
// threads go on round by round, as a part of the execution, until something happens or the execution is cut.
#pragma once

#include <cstdint>

namespace heddle::rt::control {

enum class Spin : uint8_t { kNot, kStopped, kChance, kStuck };

// What plain memory held before the thread wrote it; the first eight bytes of one write.
struct RoundWrite {
  uint64_t address;
  uint64_t before;
  uint32_t bytes;
};

struct RoundPlace {
  uint64_t what;    // registers, stack and locks
  uint32_t writes;  // the thread had made so many when it was there
};

struct SpinLoop {
  static constexpr uint32_t kPlaces = 64;
  static constexpr uint32_t kWrites = 128;
  static constexpr uint32_t kLocks = 8;

  // Since the thread's last effect. What is more than there is room for makes rounds count as different.
  uint32_t seen = 0;
  uint32_t writes = 0;
  uint32_t locks = 0;        // taken and not given back
  uint32_t taken = 0;        // names acquisitions: two of one lock are different
  uint64_t first_frame = 0;  // where the thread's stack begins for the program; 0: main's
  Spin state = Spin::kNot;
  // Not filled: the numbers above say what is there, and a thread that does not go round should not touch the pages,
  // which would have to be restored.
  uint64_t lock[kLocks];
  uint32_t lock_name[kLocks];
  RoundPlace places[kPlaces];
  RoundWrite write[kWrites];

  void Begin() { seen = writes = locks = 0; }
  void LoseWrites() { writes = kWrites + 1; }  // not all are known
};

struct ControlThread;

// The calling thread is about to perform an operation that may have no effect; `frame` is that of a function that saved
// all registers right below it (HEDDLE_WATCH_LOOP).
void ComeRound(const void* frame);

// In a function that the program calls: the compiler saves the caller's registers where ComeRound finds them.
#define HEDDLE_WATCH_LOOP() \
  __builtin_unwind_init();  \
  if (heddle::rt::control::Exploring()) heddle::rt::control::ComeRound(__builtin_frame_address(0))

// With the turn: the operation that the thread stands before was performed. `idle`: it changed nothing.
void NoteRoundEffect(ControlThread* self, bool idle);
// The calling thread changed memory by an atomic that is not visible.
void NoteHiddenEffect();

// Memory of the program may be gone or be another, whoever wrote it.
void NoteMemoryRemapped();

// Puts itself before the mode's table (mode.h): notes what rounds write.
void WatchRounds();

// Notes where the calling thread's stack lies.
void FindStack(ControlThread* self);

// Nobody can go on: lets those that were stopped go round once more. False when there are none.
bool LastChance();
// Whether that has happened, and nothing but these rounds is left.
bool InLastRound();

}  // namespace heddle::rt::control
