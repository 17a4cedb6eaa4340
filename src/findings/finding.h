// What heddle found, in one model that every engine fills and every writer reads (docs/findings-schema.md).
//
// An engine makes Findings (kind, status, message, threads, steps, ...), puts them into a Report with AddFinding
// (report.h), which gives ids and fingerprints and joins equal ones, and fills in the coverage. Writers: text.h,
// report_json.h, sarif.h. Plain values: copy and move freely; distinct objects may be used from distinct threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/frame.h"

namespace heddle::findings {

using heddle::Frame;
using heddle::Stack;

enum class Kind {
  kDataRace,    // two unordered accesses, one of them a write, not both atomic
  kLockOrder,   // locks taken in a cyclic order: a deadlock is possible
  kDeadlock,    // threads that wait for each other
  kMisuse,      // a primitive used against its rules: unlock of a free mutex, destroy of a held one, ...
  kAtomicity,   // a region that was meant to be atomic is interleaved
  kOrder,       // an event before another that it needs
  kLostSignal,  // a wake-up that no waiter sees, after which one waits for ever
  kLivelock,    // threads run without progress
  kAssertion,   // the program's own assertion failed
  kCrash,       // a fatal signal
  kFailure,     // the program's own word: an exit code that is not 0, failed tests
  kProperty,    // a user's property is violated
  kDesync,      // a replay that left its schedule
  kRefinement,  // compiled code that does not refine its source
};

// How sure it is, weakest first, so that max() is the stronger one.
enum class FindingStatus {
  kPossible,   // static, or a reordering that nobody confirmed
  kProved,     // a sound prediction: some run of the program shows it
  kConfirmed,  // seen on the real program, with a schedule
};

std::string_view KindName(Kind kind);  // "data-race", ...
std::string_view StatusName(FindingStatus status);
std::optional<Kind> KindFromName(std::string_view name);
std::optional<FindingStatus> StatusFromName(std::string_view name);
std::span<const std::string_view> KindNames();  // in the order of Kind

// A logical thread: its id does not depend on timing (T0 is main, T1 its first child, T1.2 the second child of T1).
struct ThreadInfo {
  std::string id;
  std::string name;      // pthread_setname_np, else the start function; may be empty
  std::string parent;    // id of the creator; empty for T0
  Stack creation_stack;  // where it was created

  bool operator==(const ThreadInfo&) const = default;
};

// One operation of one thread.
//
// `site` numbers the operations that make up the finding (the two accesses of a race, the lock operations of a cycle)
// in the order in which the report lists them, from 1; 0 for the others. `row` numbers the rows of the witness, from 1:
// an interleaving in which the bug happens. Steps that share a row are of different threads and unordered with each
// other. 0: not in a witness (a detector that saw two accesses but has no schedule gives sites without rows).
struct Step {
  uint32_t site = 0;
  uint32_t row = 0;
  uint32_t recorded = 0;  // which operation of the recorded run it was, from 1; of a plain access, the operation of its
                          // thread before it; 0 when unknown
  std::string thread;     // id of a thread in Finding::threads
  std::string what;       // read, write, atomic-read, lock, unlock, wait, signal, fork, join, ...
  std::string operand;    // variable or lock by name, "x", "q->head"; empty when unknown
  std::string code;       // as shown: "x = 1", "lock(l)"; empty: made from what and operand
  Stack stack;
  std::vector<std::string> locks;  // names of the locks held

  bool operator==(const Step&) const = default;
};

// Two steps of a finding (places in Finding::steps, from 0) of which one comes after the other in every run like the
// witness, for the reason `why`: "unlock before lock". With kWaits, `from` waits for what the thread of `to` holds or
// still has to do.
struct StepOrder {
  uint32_t from = 0;
  uint32_t to = 0;
  std::string why;

  bool operator==(const StepOrder&) const = default;
};
inline constexpr std::string_view kWaits = "waits";

// What lies at the address of the finding.
struct Memory {
  enum class Where { kUnknown, kGlobal, kHeap, kStack, kThreadLocal };
  Where where = Where::kUnknown;
  std::string name;        // of the variable; empty for heap blocks
  uint64_t offset = 0;     // of the access in the variable or block
  uint64_t size = 0;       // of the variable or block; 0 when unknown
  std::string thread;      // that owns the stack or allocated the block
  Stack allocation_stack;  // heap only

  bool operator==(const Memory&) const = default;
};

// Why a finding is hidden: the suppression line that matched and its reason.
struct Suppressed {
  std::string rule;
  std::string reason;

  bool operator==(const Suppressed&) const = default;
};

struct Finding {
  std::string id;  // F1, F2, ... within one report; AddFinding sets it
  Kind kind = Kind::kDataRace;
  FindingStatus status = FindingStatus::kPossible;
  std::string status_note;  // how we know: "by replay", "by the happens-before of this run"
  std::string message;      // one line: "two unordered writes to `x`"
  std::string fingerprint;  // fingerprint.h; AddFinding sets it
  std::vector<ThreadInfo> threads;
  std::vector<Step> steps;
  std::vector<StepOrder> order;  // what is known of it; not the order of each thread by itself
  Memory memory;
  std::vector<std::string> output;  // the last lines that the program printed; mostly of failures
  std::string why;                  // why the recorded run did not show it, or why it is a bug; may be empty
  std::string help;                 // how to mend it, one line; may be empty
  std::string schedule;             // path of the schedule that reproduces it; empty when there is none
  std::string replay;               // the command; empty when there is no schedule
  uint64_t count = 1;               // occurrences that were joined into this one
  std::vector<std::string> tests;   // names of the tests that show it, sorted; empty outside of suites
  std::optional<Suppressed> suppressed;
  bool known = false;  // in the baseline

  bool operator==(const Finding&) const = default;
};

// True for a finding that counts: neither suppressed nor in the baseline.
bool Active(const Finding& finding);

// True when some step has a row.
bool HasWitness(const Finding& finding);

// The steps with a site number, in that order.
std::vector<const Step*> Sites(const Finding& finding);

// Where its sites are: "hb.c:5, hb.c:4".
std::string SitePlaces(const Finding& finding);

// Ids of the threads that have steps: first those of Finding::threads in that order, then others as they come.
std::vector<std::string> ThreadsWithSteps(const Finding& finding, bool witness_only);

// "confirmed by replay", "confirmed: seen in this run"; the bare status without a note.
std::string StatusText(const Finding& finding);

// The text to show for a step: its code, else what(operand).
std::string StepText(const Step& step);

}  // namespace heddle::findings
