// The definitions of chapter 3 of "Lock Correctness", evaluated as they are written, over whole states and sets. Slow
// on purpose, and shares no code with the checker: tests compare the two.
#pragma once

#include <map>
#include <set>
#include <vector>

namespace heddle::refine::testing {

using State = std::vector<int>;  // by variable
using Set = std::set<int>;

// One tuple of a transition trace of figure 3.12: from a lock operation to before the next.
struct Transition {
  int lock = 0;
  bool is_lock = true;  // else an unlock
  State start;          // s_i, after the environment
  Set reads, writes;
  State end;  // s_i*
};

struct TransitionTrace {
  std::vector<Transition> items;
  bool terminated = true;
};

// How prev-unlock(i) of figure 3.11 is read in the race constraints of figure 3.13 when i is itself an unlock.
enum class Reading {
  kAsPrinted,  // an earlier unlock: accesses may move down over unlock i. Not sound; the tests show a counterexample
  kSound,      // i itself, as in figure 3.8
};

// Figure 3.13 and definition 23.
bool MatchNested(const TransitionTrace& transformed, const TransitionTrace& original, Reading reading);

// Figure 3.8 and definition 12; lock operations must alternate and begin with a lock.
bool MatchFlat(const TransitionTrace& transformed, const TransitionTrace& original);

}  // namespace heddle::refine::testing
