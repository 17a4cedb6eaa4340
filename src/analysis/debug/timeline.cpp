// A program under a schedule does the same in every run, so "backwards" is a new run that stops earlier. What has to be
// told is where: a moment is the number of visible operations that were performed, and how often the program has come
// to an instruction since then. The runtime traps after a given number of operations, and a breakpoint counts the
// arrivals, so a new run is led to a moment at nearly full speed and without counters of the processor.
//
//  - Which moment the program stands at after it ran forwards is found by a run that looks at every arrival at that
//    instruction behind the same operation and compares registers and stack (Identify).
//  - Reverse-continue runs from the beginning to that moment with gdb's breakpoints in place and counts them, then runs
//    again up to the last one. A watched write is met behind its instruction; gdb wants to stand before it.
//  - The instruction before a moment is found by single steps from the last visible operation on (Walk); the path is
//    kept, so that stepping backwards through a line walks it once.
//
// Checked by timeline_test.cpp against a machine that remembers all it did.
#include "analysis/debug/timeline.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

// Single steps behind one visible operation; more is minutes.
constexpr size_t kLongestPath = 20'000'000;

Error Lost() {
  return MakeError(ErrorCode::kInternal,
                   "the run could not be repeated up to this place: something that is not under control decides it");
}

size_t Likeness(const MachineState& a, const MachineState& b) {
  size_t equal = 0;
  for (size_t i = 0; i < std::min(a.words.size(), b.words.size()); ++i) equal += a.words[i] == b.words[i] ? 1 : 0;
  return equal;
}

bool IsEnd(const Stop& stop) { return stop.kind == Stop::Kind::kEnd || stop.kind == Stop::Kind::kGone; }
// Neither at a breakpoint, nor behind a watched write, nor at a signal.
bool IsOver(const Stop& stop) { return IsEnd(stop) || stop.kind == Stop::Kind::kMarker; }
bool IsEvent(const Stop& stop) { return stop.kind == Stop::Kind::kBreakpoint || stop.kind == Stop::Kind::kWatch; }

}  // namespace

// Goes on to the next stop. Signals that come on the way are the program's own and delivered; but one that comes while
// it stands at `pc` is told (kSignal), since a breakpoint there would not be met before it. 0: none is told.
Stop Timeline::GoOn(uint64_t pc) {
  Stop stop = now_->Continue(pending_);
  pending_ = 0;
  while (stop.kind == Stop::Kind::kSignal && (pc == 0 || now_->Pc() != pc)) stop = now_->Continue(stop.signal);
  if (stop.kind == Stop::Kind::kSignal) pending_ = stop.signal;
  return stop;
}

Status Timeline::Restart() {
  now_.reset();
  pending_ = 0;
  Result<std::unique_ptr<Execution>> started = start_();
  if (!started) return started.error();
  now_ = started.Take();
  first_steps_ = now_->Steps();
  here_ = Moment{first_steps_, now_->Pc(), 0};
  return {};
}

void Timeline::Arm() {
  now_->SetBreakpoints(breakpoints_);
  now_->SetWatches(watches_);
}

void Timeline::Disarm() {
  now_->SetBreakpoints({});
  now_->SetWatches({});
}

void Timeline::SetBreakpoints(const std::set<uint64_t>& addresses) {
  breakpoints_ = addresses;
  now_->SetBreakpoints(addresses);
}

bool Timeline::SetWatches(const std::set<Watch>& watches) {
  if (!now_->SetWatches(watches)) {
    now_->SetWatches(watches_);
    return false;
  }
  watches_ = watches;
  return true;
}

int Timeline::SignalFor(int asked) {
  int signal = asked != 0 ? asked : pending_;
  pending_ = 0;
  here_.reset();
  return signal;
}

Stop Timeline::Continue(int signal) { return now_->Continue(SignalFor(signal)); }

Stop Timeline::Step(int signal) { return now_->Step(SignalFor(signal)); }

// A new run, behind so many visible operations.
Status Timeline::GoToSteps(uint64_t steps) {
  Status started = Restart();
  if (!started) return started;
  if (steps == first_steps_) return {};
  now_->StopAt(steps);
  Stop stop = GoOn();
  now_->StopAt(0);
  if (stop.kind != Stop::Kind::kMarker || now_->Steps() != steps) return Lost();
  here_ = Moment{steps, now_->Pc(), 0};
  return {};
}

Status Timeline::GoTo(const Moment& moment) {
  Status reached = GoToSteps(moment.steps);
  if (!reached) return reached;
  now_->SetBreakpoints({moment.pc});
  for (uint64_t arrival = 0; arrival < moment.arrival; ++arrival) {
    Stop stop = GoOn(moment.pc);
    if (IsOver(stop) || now_->Steps() != moment.steps) return Lost();
  }
  Arm();
  here_ = moment;
  return {};
}

// Of the arrivals at the wanted instruction behind so many operations, the one that is most like the wanted state.
Result<Moment> Timeline::BestArrival(const MachineState& wanted, uint64_t steps) {
  Status reached = GoToSteps(steps);
  if (!reached) return reached.error();
  Moment best{steps, wanted.pc, 0};
  MachineState state = now_->State();
  bool same_place = state.pc == wanted.pc && state.stack == wanted.stack;
  if (same_place && Likeness(state, wanted) == wanted.words.size()) return best;
  std::optional<size_t> likeness;
  if (same_place) likeness = Likeness(state, wanted);
  now_->StopAt(steps + 1);
  now_->SetBreakpoints({wanted.pc});
  for (uint64_t arrival = 1;; ++arrival) {
    Stop stop = GoOn(wanted.pc);
    if (IsOver(stop)) break;
    state = now_->State();
    if (state.stack != wanted.stack) continue;
    size_t now_like = Likeness(state, wanted);
    if (!likeness || now_like > *likeness) best.arrival = arrival;
    likeness = std::max(likeness.value_or(0), now_like);
    if (now_like == wanted.words.size()) break;
  }
  now_->StopAt(0);
  if (!likeness) return Lost();
  return best;
}

// The moment at which the program stands; it stands there afterwards, in a new run.
Result<Moment> Timeline::Identify() {
  if (here_) return *here_;
  MachineState state = now_->State();
  Result<Moment> moment = BestArrival(state, now_->Steps());
  if (!moment) return moment.error();
  Status reached = GoTo(*moment);
  if (!reached) return reached.error();
  return *moment;
}

// Fills path_: every instruction from the operation on, up to the next one or the end.
Status Timeline::Walk(uint64_t steps) {
  if (walked_ == steps) return {};
  walked_ = UINT64_MAX;
  Status reached = GoToSteps(steps);
  if (!reached) return reached;
  Disarm();
  path_.assign(1, now_->Pc());
  now_->StopAt(steps + 1);
  int signal = 0;
  while (path_.size() < kLongestPath) {
    Stop stop = now_->Step(signal);
    signal = stop.kind == Stop::Kind::kSignal ? stop.signal : 0;
    if (stop.kind == Stop::Kind::kMarker) path_.pop_back();  // the trap is there only when it is asked for
    if (IsOver(stop)) break;
    if (stop.kind == Stop::Kind::kStep) path_.push_back(now_->Pc());
  }
  if (path_.size() == kLongestPath) {
    return MakeError(ErrorCode::kLimit, "too many instructions since the last visible operation to step backwards");
  }
  walked_ = steps;
  return {};
}

// The moment one instruction earlier; nothing at the beginning.
Result<std::optional<Moment>> Timeline::Before(const Moment& moment) {
  if (moment.arrival == 0 && moment.steps == first_steps_) return std::optional<Moment>();
  uint64_t steps = moment.arrival == 0 ? moment.steps - 1 : moment.steps;
  Status walked = Walk(steps);
  if (!walked) return walked.error();
  size_t index = path_.size();
  uint64_t seen = 0;
  for (size_t i = 1; moment.arrival != 0 && i < path_.size(); ++i) {
    if (path_[i] != moment.pc || ++seen != moment.arrival) continue;
    index = i;
    break;
  }
  if (moment.arrival != 0 && index == path_.size()) return Lost();
  Moment before{steps, path_[index - 1], 0};
  for (size_t i = 1; i < index; ++i) before.arrival += path_[i] == before.pc ? 1 : 0;
  return std::optional(before);
}

Result<Timeline::Back> Timeline::ReverseStep() {
  Result<Moment> here = Identify();
  if (!here) return here.error();
  Result<std::optional<Moment>> before = Before(*here);
  if (!before) return before.error();
  bool begin = !before->has_value();
  Status reached = GoTo(begin ? Moment{first_steps_, 0, 0} : **before);
  if (!reached) return reached.error();
  return Back{{Stop::Kind::kStep, 0, 0}, begin};
}

// Runs with gdb's breakpoints up to the moment. An event there is not before it.
Result<Timeline::Count> Timeline::CountEvents(const Moment& until) {
  Status started = Restart();
  if (!started) return started.error();
  Count count;
  Arm();
  if (until.steps != first_steps_) {
    now_->StopAt(until.steps);
    for (Stop stop = GoOn(); stop.kind != Stop::Kind::kMarker; stop = GoOn()) {
      if (!IsEvent(stop)) return Lost();
      ++count.events;
      count.last = stop;
    }
    now_->StopAt(0);
  }
  std::set<uint64_t> all = breakpoints_;
  all.insert(until.pc);
  now_->SetBreakpoints(all);
  for (uint64_t arrival = 0; arrival < until.arrival;) {
    Stop stop = GoOn(until.pc);
    if (IsOver(stop) || now_->Steps() != until.steps) return Lost();
    bool arrived = now_->Pc() == until.pc;
    arrival += arrived ? 1 : 0;
    bool there = arrived && arrival == until.arrival;
    bool counts = stop.kind == Stop::Kind::kWatch ||
                  (stop.kind == Stop::Kind::kBreakpoint && breakpoints_.contains(now_->Pc()) && !there);
    if (!counts) continue;
    ++count.events;
    count.last = stop;
  }
  return count;
}

Status Timeline::GoToEvent(uint64_t number) {
  Status started = Restart();
  if (!started) return started;
  here_.reset();
  Arm();
  for (uint64_t seen = 0; seen < number; ++seen) {
    if (!IsEvent(GoOn())) return Lost();
  }
  return {};
}

Result<Timeline::Back> Timeline::ReverseContinue() {
  Result<Moment> here = Identify();
  if (!here) return here.error();
  Result<Count> count = CountEvents(*here);
  if (!count) return count.error();
  Status reached = count->events == 0 ? GoTo({first_steps_, 0, 0}) : GoToEvent(count->events);
  if (!reached) return reached.error();
  if (count->events == 0) return Back{{Stop::Kind::kStep, 0, 0}, true};
  if (count->last.kind != Stop::Kind::kWatch) return Back{count->last, false};
  Result<Back> before = ReverseStep();
  if (!before) return before.error();
  return Back{count->last, false};
}

}  // namespace heddle::analysis
