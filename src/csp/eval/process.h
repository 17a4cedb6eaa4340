// Process terms: nodes of Kind::kProcess whose `number` is one of these. P, Q are processes, A, B sets of events.
//
// A term is *forced* when its operator is known; kLate terms are not (their expression has not been evaluated yet).
// Operands that take part in the first step are forced; those written `late` are usually kLate.
#pragma once

#include "csp/eval/value.h"

namespace heddle::csp {

enum class ProcOp : uint8_t {
  kLate,  // an expression not evaluated yet: ptr = Unit, kids = captured values
  kStop,
  kSkip,
  kDiv,
  kOmega,          // has terminated
  kRun,            // A
  kChaos,          // A
  kPrefix,         // ptr = Unit of the prefix expression, kids = captured values
  kEvents,         // an external choice of events: event, late P, event, late P, ...
  kExt,            // P...
  kInt,            // late P...
  kSlide,          // P late Q
  kInterrupt,      // P Q
  kSequence,       // P late Q
  kException,      // P A late Q
  kParallel,       // A P...: all agree on A
  kAlphabet,       // A P B Q ...: each confined to its alphabet
  kTimedParallel,  // as kParallel, but the parts terminate together: one that has ended must let time pass
  kTimedAlphabet,  // as kAlphabet, likewise
  kLink,           // P Q, then pairs of linked values
  kHide,           // P A
  kProject,        // P A: hide all but A
  kRename,         // P and the set of pairs (old, new)
  kSyncExt,        // P A Q
  kSyncInterrupt,  // P A Q
  kCompress,       // P and which Compression (compress.h)
  kChase,          // P
  kPriority,       // P A...: earlier sets win
  kOrder,          // P A R M: priority by the pairs (higher, lower) of R on A; M is as high as tau
  kDeter,          // P with its choices resolved: the first tau, one successor for each event
  kWatchdog,       // P A bang: follows the traces of P on A; after a wrong event it performs bang
  kBuffer,         // the bound, pairs of events in and out, the sequence of outputs that wait
  kDelay,          // n, tock, late P: n tocks, then P
  kWait,           // n, tock: n tocks, then termination whenever it likes
  kLive,           // a state of a parallel system that is explored as it is needed: its number
  kExplicit,       // a state of an explicit transition system: ptr = the system, kids = the state number
};

inline ProcOp OpOf(Value term) { return static_cast<ProcOp>(term->number); }

}  // namespace heddle::csp
