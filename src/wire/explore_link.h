// What heddle and a target that is being explored share: one mapping, in which each execution is asked for and told.
//
// The target runs up to the first moment at which there is a choice (its first pthread_create) and then serves
// requests: each is a copy of the process (fork) that goes as the request says and leaves its events here.
// Freestanding.
#pragma once

#include <cstdint>

#include "wire/control_words.h"
#include "wire/explored_event.h"
#include "wire/plain_access.h"

namespace heddle::wire {

inline constexpr uint64_t kLinkMagic = 0x31504C5845444448ULL;
inline constexpr uint64_t kLinkSteps = uint64_t{1} << 16U;  // of one execution
inline constexpr uint32_t kLinkNotes = 32;
inline constexpr uint32_t kLinkGaps = 8;
inline constexpr uint32_t kLinkOptions = 1U << 17U;
inline constexpr uint32_t kLinkAccesses = 1U << 16U;

// Why the accesses of an execution are not all there (ExploreLink::accesses_lost).
enum LostAccesses : uint32_t { kLostNone, kLostMany, kLostUnmarked };

// Values of ExploreLink::turn, a futex word.
enum LinkTurn : uint32_t {
  kLinkHeddle,  // heddle's: the target is not there yet, or has answered
  kLinkTarget,  // a request is there
  kLinkQuit,
};

// How an execution ended. The order is that of explore::End for the first five.
enum class LinkEnd : uint32_t {
  kDone,
  kDeadlock,
  kAsleep,
  kBlocked,
  kDepth,
  kDiverged,
  kRunning,      // it has not said: killed, or ended by a way around
  kManyThreads,  // more than MostThreads
  kNoFork,       // the target could not copy itself
  kLeftThreads,  // inside a test: its body returned before its threads ended
  kLivelock,     // nobody can go on, and some threads spin on what will not change
};

// Why an execution could not be performed in place (ExploreLink::given_up); a system call is its number added to the
// last one.
enum GaveUp : uint32_t { kGaveUpNot, kGaveUpCrash, kGaveUpMemory, kGaveUpCall };

// What the detector said about an execution.
enum class NoteKind : uint32_t { kRace = 1, kMisuse = 2, kDeadlock = 3 };
struct LinkNote {
  NoteKind kind;
  uint32_t what;  // a hash of the kind of misuse
  uint64_t pc;
  uint64_t other_pc;
};

struct ExploreLink {
  uint64_t magic;
  uint32_t turn;
  uint32_t ready;      // the target serves
  int32_t server;      // its process
  int32_t child;       // the execution's process while it runs
  uint64_t max_steps;  // longer executions are cut

  // How executions are restarted. in_place: heddle allows that memory is restored; the target takes it back when too
  // many executions need more than that.
  uint32_t in_place;
  uint32_t killed;         // heddle has ended the execution under way
  uint32_t given_up;       // by the last execution that could not be performed in place
  uint32_t first_cause;    // the first such
  uint64_t restored;       // executions in place
  uint64_t wanted_region;  // nonzero: the detector has no shadow for this address yet
  uint64_t redone;         // those that were given up and performed in a copy
  uint64_t wanted_stack;   // the largest stack that a thread was to have; the target's threads get as much

  // The request: by plan (explore), or one sampled execution (random, pct, pos) with `seed`.
  Strategy strategy;
  uint32_t sleepers;
  uint64_t seed;
  uint64_t pct_length;  // pct: steps among which priorities change; 0: the default
  uint64_t prefix_length;
  uint64_t sleep_from;

  // The answer.
  LinkEnd end;
  int32_t status;  // of wait4
  uint64_t events;
  uint32_t notes;
  uint32_t choices;                 // how often it asked for a number
  uint32_t options;                 // of C11 atomics (ExploredEvent::options)
  uint32_t mixed;                   // nonzero: atomics of different sizes at one address
  uint32_t crash_signal;            // a thread crashed ...
  uint64_t crash_step;              // ... behind so many events
  uint64_t live[kMaxSampled / 64];  // threads at the last pick, as bits; what they stand before is in `pending`
  LinkNote note[kLinkNotes];

  // Operations may say that they commute (ExploredEvent::commutes). Then updates of that kind learn nothing from each
  // other: their order is open, so no execution may rest on it.
  uint32_t commute;

  // Plain accesses, when heddle asks for them (log_accesses); in their order.
  uint32_t log_accesses;
  uint32_t accesses_lost;
  uint32_t accesses;

  // Why the search is not complete although it ends: what executions did that it does not model. Stays.
  uint32_t gaps;
  char gap[kLinkGaps][72];

  uint32_t threads;   // known, by index
  uint32_t timeouts;  // nonzero: a wait that could have run out was not let
  char names[kMaxSampled][64];

  ExploredEvent sleeping[kMaxExplored];
  ExploredEvent pending[kMaxSampled];  // by thread
  PlannedStep prefix[kLinkSteps];
  ExploredEvent event[kLinkSteps];
  uint32_t option[kLinkOptions];
  PlainAccess access[kLinkAccesses];
};

// How many threads executions may have in all.
inline uint32_t MostThreads(Strategy strategy, bool c11) {
  if (c11) return kMaxC11Threads;
  return strategy == Strategy::kExplore ? kMaxExplored : kMaxSampled;
}

}  // namespace heddle::wire
