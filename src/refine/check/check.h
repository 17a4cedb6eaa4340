// The refinement check: may the thread of one trace be a correctly compiled version of the thread of the other?
//
// check(T', T) of "Lock Correctness", chapter 3, for one pair of traces: figure 3.13 and definition 23, which for locks
// that are not nested are figure 3.8 and definition 12. docs/refine.md says what differs from the text and why.
// Linear in the length of the traces; memory is linear in the size of the shared variables and of a section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/trace/trace.h"

namespace heddle::refine {

enum class Constraint : uint8_t {
  kNone,
  kLength,         // one thread does more lock operations (line 1)
  kSameLocks,      // another lock, or a lock instead of an unlock (line 3)
  kWriteRace,      // a write where the original has none (line 7)
  kReadRace,       // a read where the original has no access (line 8)
  kStateAtLock,    // the environments differ (lines 9 to 13)
  kStateAtUnlock,  // another value where a context may look (lines 16 to 20)
  kTermination,    // the original did not end (definition 23)
  kVolatile,       // the accesses to volatile objects differ (not of the thesis: C11 5.1.2.3)
};

std::string_view ConstraintName(Constraint constraint);

inline constexpr size_t kNoEvent = ~size_t{0};

struct Violation {
  Constraint constraint = Constraint::kNone;
  uint32_t transition = 0;              // index of the lock operation that begins it
  uint32_t place = 0;                   // for races and states
  size_t transformed_event = kNoEvent;  // the access or lock operation, where there is one
  size_t original_event = kNoEvent;     // the lock operation there
};

struct CheckOptions {
  // Reads that the original does not do are violations. False: they are collected in Verdict::extra_reads.
  bool reads = true;
};

struct Verdict {
  Violation violation;  // kNone: the traces match
  // The environment wrote something that only the original accesses there: a context that does so races with the
  // original, so that everything matches (the second part of definition 23). Says nothing about the compiler.
  bool vacuous = false;
  std::vector<Violation> extra_reads;  // the first of each location and transition

  bool matches() const { return violation.constraint == Constraint::kNone; }
};

// Gives both traces the same symbols and locks, by name, so that places can be compared. An error when a variable has
// another size, layout or initial value, or, while addresses are stored, another address; or when the traces are of
// different threads or architectures.
Status AlignTraces(Trace& original, Trace& transformed);

// Why a violation says nothing about the compiler: the runs had different environments, or it is about a variable that
// only its file sees, which a compiler may keep elsewhere or not at all. Empty: it does. The trace must be aligned.
std::string SaysNothing(const Trace& original, const Violation& violation);

// The traces must be aligned. Whether they ended is not looked at, except for Constraint::kTermination.
Verdict CheckTraces(const Trace& original, const Trace& transformed, const CheckOptions& options = {});

}  // namespace heddle::refine
