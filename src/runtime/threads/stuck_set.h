// The threads that can never go on: the greatest set in which each waits for what only members of the set could bring.
//
// Begins with all that wait, and takes out whoever somebody outside the set could let go on, until a whole round takes
// out nobody. What is left is the greatest such set, because nobody is taken out who belongs to one: `stays` must be
// monotone (a larger set never turns a yes into a no). At most one round for each thread.
//
// The detector and the scheduler both ask, of different knowledge, so each has a `stays` of its own. The detector
// (detect/waits.cpp) watches threads that run in parallel: it knows who owns an object by the objects' own state, which
// errs towards "can go on". The scheduler (control/report/stuck.cpp) works without a detector too: it stops all threads
// and asks each operation whether it could be performed now. For the same reason each keeps a list of the locks that a
// thread holds: the detector's has clocks and numbers of locks for lock orders, the scheduler's only what a report
// shows.
#pragma once

namespace heddle::rt {

// `for_each(f)` calls f for every thread; `in_set` and `take_out` are about one; `stays` may look at the set.
// `round` is called before each round.
template <typename ForEach, typename InSet, typename TakeOut, typename Stays, typename Round>
void KeepStuck(ForEach for_each, InSet in_set, TakeOut take_out, Stays stays, Round round) {
  for (bool changed = true; changed;) {
    changed = false;
    round();
    for_each([&](auto* thread) {
      if (!in_set(thread) || stays(thread)) return;
      take_out(thread);
      changed = true;
    });
  }
}

}  // namespace heddle::rt
