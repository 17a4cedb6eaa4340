// One pass over the events of a trace makes the operations of each thread and what each of them needs (model.h).
//
// A table for each kind of object remembers what the last operations on it were: who holds a lock, how many entered a
// barrier, which signal a wake took. When an event is added, what it came after in the run becomes a need of its
// operation: the fork of a begin, the end of a join, the signal of a wake, the store that a spinning load read. What a
// thread has read since its last operation becomes a data need of the next one, by writer and segment.
//
// Invariant: the run's own order fulfils all needs (so the trace is one of the reorderings of its model). A need is
// never left out because a trace does not say it: what is unknown is taken as the run shows it. Test: engines_test.cpp.
#include "predict/model_builder.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::predict {

using trace::Event;
using trace::Kind;

namespace {

// Descriptors of one pipe have two numbers, and the trace does not pair them: all descriptors are one object.
constexpr uint64_t kDescriptors = 1;

bool IsMaking(Kind kind) {
  return kind == Kind::LockInit || kind == Kind::SemInit || kind == Kind::BarrierInit || kind == Kind::CondInit;
}

}  // namespace

bool IsOperation(const Event& event) {
  if (!trace::IsOrdered(event.kind) || IsMaking(event.kind)) return false;
  switch (event.kind) {
    case Kind::LockBlock:
    case Kind::SemBlock:
    case Kind::Alloc:
    case Kind::Free:
    case Kind::Map:
    case Kind::Unmap:
    case Kind::AtomicHigh:
    case Kind::OrderedRead:
    case Kind::OrderedWrite:
    case Kind::Skip:
    case Kind::UserMore:
      return false;
    default:
      return true;
  }
}

ModelBuilder::ThreadState& ModelBuilder::State(uint32_t thread) {
  if (thread >= states_.size()) states_.resize(thread + 1);
  if (thread >= model_.threads.size()) model_.threads.resize(thread + 1);
  return states_[thread];
}

uint32_t ModelBuilder::Object(std::map<uint64_t, uint32_t>& table, uint64_t address, uint32_t next) {
  return table.emplace(address, next).first->second;
}

uint32_t ModelBuilder::LockOf(uint64_t address) {
  uint32_t number = Object(lock_numbers_, address, model_.locks);
  if (number == model_.locks) {
    ++model_.locks;
    model_.lock_address.push_back(address);
  }
  return number;
}

uint32_t ModelBuilder::SemaphoreOf(uint64_t address) {
  auto next = static_cast<uint32_t>(model_.semaphores.size());
  uint32_t number = Object(semaphore_numbers_, address, next);
  if (number == next) {
    model_.semaphores.emplace_back();
    sem_low_.push_back(0);
    sem_now_.push_back(0);
  }
  return number;
}

uint32_t ModelBuilder::BarrierOf(uint64_t address) {
  auto next = static_cast<uint32_t>(model_.barriers.size());
  uint32_t number = Object(barrier_numbers_, address, next);
  if (number == next) model_.barriers.emplace_back();
  return number;
}

void ModelBuilder::NeedOf(uint32_t order, NeedKind kind, Need need) {
  if (need.count != 0 && need.thread != model_.places[order].thread) pending_.push_back({order, kind, need});
}

void ModelBuilder::ReadFrom(uint32_t thread, uint32_t writer, uint32_t segment) {
  if (thread == writer) return;
  uint32_t& known = State(thread).data[writer];
  known = std::max(known, segment);
}

SyncEvent& ModelBuilder::Append(const Event& event) {
  ThreadState& state = State(event.thread);
  std::vector<SyncEvent>& events = model_.threads[event.thread];
  SyncEvent made;
  made.kind = event.kind;
  made.order = static_cast<uint32_t>(model_.places.size());
  model_.places.push_back({event.thread, static_cast<uint32_t>(events.size())});
  model_.origins.push_back({event.address, event.pc, event.stack});
  events.push_back(made);
  if (state.forked) {
    NeedOf(made.order, NeedKind::kMust, state.fork);
    state.forked = false;
  }
  if (state.in_prefix && !prefix_.empty()) {
    for (const Need& need : prefix_) NeedOf(made.order, NeedKind::kMust, need);
    state.in_prefix = false;
  }
  for (const auto& [writer, segment] : state.data) NeedOf(made.order, NeedKind::kData, {writer, segment});
  state.data.clear();
  return events.back();
}

// An address that is used anew is another object: what was before has nothing to do with it.
void ModelBuilder::MakeObject(const Event& event) {
  switch (event.kind) {
    case Kind::LockInit:
    case Kind::LockDestroy:
      lock_numbers_.erase(event.address);
      return;
    case Kind::SemInit:
      semaphore_numbers_.erase(event.address);
      model_.semaphores[SemaphoreOf(event.address)].initial = static_cast<int64_t>(event.arg);
      return;
    case Kind::BarrierInit:
      barrier_numbers_.erase(event.address);
      model_.barriers[BarrierOf(event.address)].count = static_cast<uint32_t>(event.arg);
      return;
    default:
      return;
  }
}

void ModelBuilder::TakeLock(SyncEvent& event, uint32_t thread, uint64_t address, bool shared) {
  uint32_t lock = LockOf(address);
  for (Holding& holding : states_[thread].holding) {
    if (holding.lock != lock) continue;
    ++holding.depth;  // a recursive mutex, or a lock for reading taken twice
    return;
  }
  event.object = lock;
  event.act = event.kind == Kind::CondWake ? Act::kWake : shared ? Act::kReadLock : Act::kLock;
  states_[thread].holding.push_back({lock, model_.places[event.order].position, 1, shared});
}

void ModelBuilder::DropLock(SyncEvent& event, uint32_t thread, uint64_t address) {
  uint32_t lock = LockOf(address);
  std::vector<Holding>& all = states_[thread].holding;
  auto found = std::find_if(all.begin(), all.end(), [&](const Holding& holding) { return holding.lock == lock; });
  if (found == all.end() || --found->depth > 0) return;
  event.object = lock;
  event.act = event.kind == Kind::CondWait ? Act::kWait : found->shared ? Act::kReadUnlock : Act::kUnlock;
  model_.threads[thread][found->position].mate = model_.places[event.order].position;
  all.erase(found);
}

void ModelBuilder::Threads(const Event& event, SyncEvent& made) {
  auto other = static_cast<uint32_t>(event.arg);
  if (event.kind == Kind::ThreadFork) {
    Need now = Now(event.thread);
    ThreadState& child = State(other);
    child.fork = now;
    child.forked = true;
  } else if (event.kind == Kind::ThreadJoin && event.Succeeded() && other < model_.threads.size()) {
    NeedOf(made.order, NeedKind::kMust, Now(other));
  }
}

void ModelBuilder::Waits(const Event& event, SyncEvent& made) {
  uint32_t order = made.order;
  if (event.kind == Kind::CondWait) return DropLock(made, event.thread, event.arg);
  if (event.kind != Kind::CondWake) {
    signals_[event.sequence] = model_.places[order];
    return;
  }
  TakeLock(made, event.thread, event.arg, false);
  auto signal = event.Succeeded() ? signals_.find(event.arg2) : signals_.end();
  if (signal == signals_.end() || signal->second.thread == event.thread) return;
  NeedOf(order, NeedKind::kMust, {signal->second.thread, signal->second.position + 1});
}

void ModelBuilder::Counts(const Event& event, SyncEvent& made) {
  if (!event.Succeeded()) return;
  if (event.kind == Kind::SemPost || event.kind == Kind::SemWait) {
    made.object = SemaphoreOf(event.address);
    bool post = event.kind == Kind::SemPost;
    made.act = post ? Act::kSemPost : Act::kSemWait;
    if (post) model_.semaphores[made.object].posts.push_back(made.order);
    sem_now_[made.object] += post ? 1 : -1;
    sem_low_[made.object] = std::min(sem_low_[made.object], sem_now_[made.object]);
    return;
  }
  made.object = BarrierOf(event.address);
  Barrier& barrier = model_.barriers[made.object];
  if (event.kind == Kind::BarrierEnter) {
    made.act = Act::kBarrierEnter;
    made.mate = barrier.count == 0 ? 0 : static_cast<uint32_t>(barrier.enters.size()) / barrier.count;
    barrier.enters.push_back(made.order);
  } else {
    made.act = Act::kBarrierExit;
    uint32_t position = model_.places[made.order].position;
    made.mate = position == 0 ? 0 : model_.threads[event.thread][position - 1].mate;
  }
}

// What an atomic operation reads decides what comes next when the thread waits for it (a load again and again) or makes
// a change depend on it; otherwise it is data like any other.
void ModelBuilder::Atomic(const Event& event, SyncEvent& made) {
  bool stores = event.kind == Kind::AtomicStore || event.kind == Kind::AtomicRmw ||
                (event.kind == Kind::AtomicCas && event.result == 1);
  bool counts = event.kind == Kind::AtomicRmw && event.result != static_cast<uint8_t>(trace::RmwOp::Exchange);
  bool loads = event.kind == Kind::AtomicLoad;
  ThreadState& state = states_[event.thread];
  uint32_t position = model_.places[made.order].position;
  bool again = loads && state.load_pc == event.pc && state.load_position + 1 == position;
  if (loads) {
    state.load_pc = event.pc;
    state.load_position = position;
  }
  auto last = stores_.find(event.address);
  if (event.kind != Kind::AtomicStore && last != stores_.end()) {
    NeedOf(made.order, (loads && !again) || counts ? NeedKind::kData : NeedKind::kMust, last->second);
  }
  if (stores) stores_[event.address] = Now(event.thread);
}

void ModelBuilder::Ordered(const Event& event, SyncEvent& made) {
  bool descriptor = event.kind == Kind::FdRead || event.kind == Kind::FdWrite;
  uint64_t object = descriptor ? kDescriptors : event.address;
  bool releases = event.kind == Kind::OnceEnd || event.kind == Kind::FutexWake || event.kind == Kind::Release ||
                  event.kind == Kind::FdWrite;
  if (releases) {
    past_[object][event.thread] = Segment(event.thread);
    return;
  }
  for (const auto& [thread, count] : past_[object]) NeedOf(made.order, NeedKind::kMust, {thread, count});
}

void ModelBuilder::Custom(const Event& event, uint32_t order) {
  std::vector<int64_t> values = {static_cast<int64_t>(event.arg2), static_cast<int64_t>(event.arg3)};
  uint32_t& last = states_[event.thread].custom;
  if (event.kind == Kind::User) {
    last = static_cast<uint32_t>(model_.custom.size());
    model_.custom.push_back({order, event.arg, std::move(values)});
  } else if (last != kNone) {
    std::vector<int64_t>& all = model_.custom[last].values;
    all.insert(all.end(), values.begin(), values.end());
  }
}

void ModelBuilder::Prepare(const Event& event) {
  if (!State(event.thread).forked || IsOperation(event)) return;
  Event begin;
  begin.kind = Kind::ThreadBegin;
  begin.thread = event.thread;
  Append(begin);
}

void ModelBuilder::Add(const Event& event) {
  State(event.thread);
  if (IsMaking(event.kind) || event.kind == Kind::LockDestroy) MakeObject(event);
  if (event.kind == Kind::UserMore) Custom(event, 0);
  if (!IsOperation(event)) return;
  SyncEvent& made = Append(event);
  switch (event.kind) {
    case Kind::User:
      return Custom(event, made.order);
    case Kind::ThreadFork:
    case Kind::ThreadJoin:
      return Threads(event, made);
    case Kind::Lock:
      if (event.Succeeded()) {
        TakeLock(made, event.thread, event.address, trace::LockDetail::Unpack(event.detail).shared);
      }
      return;
    case Kind::Unlock:
      if (event.Succeeded()) DropLock(made, event.thread, event.address);
      return;
    case Kind::CondSignal:
    case Kind::CondBroadcast:
    case Kind::CondWait:
    case Kind::CondWake:
      return Waits(event, made);
    case Kind::SemPost:
    case Kind::SemWait:
    case Kind::BarrierEnter:
    case Kind::BarrierExit:
      return Counts(event, made);
    case Kind::OnceBegin:
    case Kind::OnceEnd:
    case Kind::OncePass:
    case Kind::FutexWait:
    case Kind::FutexWake:
    case Kind::Acquire:
    case Kind::Release:
    case Kind::FdRead:
    case Kind::FdWrite:
      return Ordered(event, made);
    default:
      if (trace::IsAtomic(event.kind)) Atomic(event, made);
  }
}

// When exactly as many threads use a barrier as make a round, each thread's n-th exit is after every thread's n-th
// enter.
void ModelBuilder::FinishBarriers() {
  for (Barrier& barrier : model_.barriers) {
    std::map<uint32_t, std::vector<uint32_t>> enters;  // thread to positions
    for (uint32_t order : barrier.enters) enters[model_.places[order].thread].push_back(model_.places[order].position);
    barrier.fixed = barrier.count == 0 || enters.size() <= barrier.count;
    if (!barrier.fixed) continue;
    for (const auto& [thread, positions] : enters) {
      for (size_t round = 0; round < positions.size(); ++round) {
        uint32_t exit = positions[round] + 1;
        const std::vector<SyncEvent>& events = model_.threads[thread];
        if (exit >= events.size() || events[exit].act != Act::kBarrierExit) continue;
        for (const auto& [other, theirs] : enters) {
          if (round < theirs.size()) NeedOf(events[exit].order, NeedKind::kMust, {other, theirs[round] + 1});
        }
      }
    }
  }
}

// With one poster, a thread's n-th wait needs its post number n less the initial value, whoever else waits.
void ModelBuilder::FinishSemaphores() {
  std::vector<bool> one_poster;
  for (uint32_t number = 0; number < model_.semaphores.size(); ++number) {
    Semaphore& semaphore = model_.semaphores[number];
    semaphore.initial = std::max(semaphore.initial, -sem_low_[number]);
    std::set<uint32_t> posters;
    for (uint32_t order : semaphore.posts) posters.insert(model_.places[order].thread);
    one_poster.push_back(posters.size() == 1);
  }
  for (const std::vector<SyncEvent>& events : model_.threads) {
    std::map<uint32_t, int64_t> waits;
    for (const SyncEvent& event : events) {
      if (event.act != Act::kSemWait || !one_poster[event.object]) continue;
      const Semaphore& semaphore = model_.semaphores[event.object];
      int64_t post = ++waits[event.object] - semaphore.initial;
      if (post < 1 || static_cast<size_t>(post) > semaphore.posts.size()) continue;
      const Place& at = model_.places[semaphore.posts[static_cast<size_t>(post - 1)]];
      NeedOf(event.order, NeedKind::kMust, {at.thread, at.position + 1});
    }
  }
}

std::vector<uint32_t> ModelBuilder::EndPrefix() {
  std::vector<uint32_t> counts;
  for (uint32_t thread = 0; thread < model_.threads.size(); ++thread) {
    counts.push_back(Segment(thread));
    if (counts.back() > 0) prefix_.push_back({thread, counts.back()});
  }
  return counts;
}

void ModelBuilder::PlaceNeeds() {
  auto key = [](const PendingNeed& pending) {
    return std::tuple(pending.order, pending.kind, pending.need.thread, pending.need.count);
  };
  std::sort(pending_.begin(), pending_.end(),
            [&](const PendingNeed& a, const PendingNeed& b) { return key(a) < key(b); });
  for (const PendingNeed& pending : pending_) {
    SyncEvent& event = model_.threads[model_.places[pending.order].thread][model_.places[pending.order].position];
    if (event.must + event.data == 0) event.needs = static_cast<uint32_t>(model_.needs.size());
    ++(pending.kind == NeedKind::kMust ? event.must : event.data);
    model_.needs.push_back(pending.need);
  }
  pending_.clear();
}

TraceModel ModelBuilder::Finish() {
  FinishBarriers();
  FinishSemaphores();
  PlaceNeeds();
  return std::move(model_);
}

}  // namespace heddle::predict
