#include "explore/happens_before.h"

#include <algorithm>

#include "explore/wait_queue.h"

namespace heddle::explore {

using wire::Role;

void HappensBefore::Join(uint32_t* clock, Clock other) const {
  for (size_t i = 0; i < stride_; ++i) clock[i] = std::max(clock[i], other[i]);
}

void HappensBefore::Widen(uint32_t thread) {
  if (of_thread_.size() <= thread) of_thread_.resize(thread + 1U);
  if (thread >= stride_) {
    size_t wider = std::max<size_t>(2 * stride_, thread + 1U);
    std::vector<uint32_t> clocks(size() * wider, 0);
    for (size_t i = 0; i < size(); ++i) std::copy_n(ClockOf(i), stride_, clocks.data() + i * wider);
    clocks_ = std::move(clocks);
    stride_ = wider;
  }
  clock_.resize(stride_);
}

void HappensBefore::ProgramOrder(uint32_t thread, size_t before, uint32_t* clock) const {
  const std::vector<size_t>& own = of_thread_[thread];
  auto at = std::lower_bound(own.begin(), own.end(), before);
  if (at == own.begin()) {
    std::fill_n(clock, stride_, 0);
  } else {
    std::copy_n(ClockOf(*(at - 1)), stride_, clock);
  }
}

void HappensBefore::Apply(LockState& state, const ExploredEvent& event, uint64_t object) {
  bool on_second = event.object != object;
  if (event.role == Role::kWants) state.writers.Add(event.thread);
  bool takes = event.role == Role::kLock && !event.Has(wire::kNoHold) && !on_second;
  takes = takes || (event.role == Role::kWake && on_second);
  bool gives = (event.role == Role::kUnlock && !on_second) || (event.role == Role::kSleepBegins && on_second);
  if (takes && event.Has(wire::kShared)) {
    ++state.readers;
  } else if (takes) {
    state.owner = event.thread;
    ++state.depth;
    state.writers.Remove(event.thread);
  } else if (gives && state.owner >= 0) {
    if (--state.depth == 0) state.owner = -1;
  } else if (gives && state.readers > 0) {
    --state.readers;
  }
}

HappensBefore::Keys HappensBefore::KeysOf(const ExploredEvent& event) {
  if (event.bytes == 0) return {event.object, wire::SecondObject(event)};
  constexpr uint64_t kWordObject = uint64_t{1} << 60U;
  uint64_t first = event.object / 8 + kWordObject;
  uint64_t last = (event.object + event.bytes - 1) / 8 + kWordObject;
  return {first, first == last ? 0 : last};
}

void HappensBefore::AddTo(uint64_t key, size_t index) {
  if (key == 0) return;
  Object& known = objects_[key];
  known.events.push_back({index, known.now});
  if (events_[index].bytes == 0) Apply(known.now, events_[index], key);
}

void HappensBefore::RemoveFrom(uint64_t key, size_t index) {
  if (key == 0) return;
  Object& known = objects_[key];
  if (known.events.empty() || known.events.back().index != index) return;
  known.now = known.events.back().before;
  known.events.pop_back();
}

void HappensBefore::Truncate(size_t size) {
  if (size >= events_.size()) return;
  while (events_.size() > size) {
    size_t index = events_.size() - 1;
    const ExploredEvent& event = events_[index];
    Keys keys = KeysOf(event);
    RemoveFrom(keys.first, index);
    RemoveFrom(keys.second, index);
    of_thread_[event.thread].pop_back();
    events_.pop_back();
    place_.pop_back();
  }
  clocks_.resize(size * stride_);
  if (race_end_.size() > size) {
    race_end_.resize(size);
    races_.resize(size == 0 ? 0 : race_end_.back());
  }
}

// Whether whatever meets `event` meets `other`.
static bool Covers(const ExploredEvent& other, const ExploredEvent& event) {
  return event.bytes == 0 || (other.object <= event.object && event.object + event.bytes <= other.object + other.bytes);
}

template <typename Visit>
void HappensBefore::VisitBack(const ExploredEvent& event, size_t position, Visit visit) const {
  struct Cursor {
    const std::vector<ObjectEvent>* events = nullptr;
    size_t left = 0;
    size_t Last() const { return left == 0 ? 0 : (*events)[left - 1].index + 1; }
  };
  Cursor cursors[2];
  Keys keys = KeysOf(event);
  uint64_t objects[2] = {keys.first, keys.second};
  for (int i = 0; i < 2; ++i) {
    auto known = objects[i] == 0 ? objects_.end() : objects_.find(objects[i]);
    if (known == objects_.end()) continue;
    cursors[i] = {&known->second.events, known->second.events.size()};
    while (cursors[i].Last() > position) --cursors[i].left;
  }
  while (cursors[0].left + cursors[1].left > 0) {
    Cursor& cursor = cursors[0].Last() >= cursors[1].Last() ? cursors[0] : cursors[1];
    size_t other = cursor.Last() - 1;
    --cursor.left;
    if (!wire::Dependent(events_[other], event)) continue;
    // Stores of C11 atomics are not ordered among themselves, nor are operations that commute.
    bool ordered = events_[other].Has(wire::kWrites) && events_[other].commutes == wire::Commutes::kNo &&
                   !wire::IsC11(events_[other]) && !wire::IsC11(event) && Covers(events_[other], event);
    if (visit(other) && ordered) cursor.left = 0;
  }
}

void HappensBefore::Append(const ExploredEvent& event) {
  size_t index = events_.size();
  Widen(event.thread);
  clocks_.resize((index + 1) * stride_);
  uint32_t* clock = clocks_.data() + index * stride_;
  ProgramOrder(event.thread, index, clock);
  if (event.Has(wire::kGlobal)) {
    for (const std::vector<size_t>& own : of_thread_) {
      if (!own.empty()) Join(clock, ClockOf(own.back()));
    }
  }
  events_.push_back(event);
  VisitBack(event, index, [&](size_t other) {
    if (!Knows(clock, other)) Join(clock, ClockOf(other));
    return true;
  });
  place_.push_back(static_cast<uint32_t>(of_thread_[event.thread].size()));
  of_thread_[event.thread].push_back(index);
  clock[event.thread] = place_.back() + 1;
  Keys keys = KeysOf(event);
  AddTo(keys.first, index);
  AddTo(keys.second, index);
}

std::span<const size_t> HappensBefore::Races(size_t index) {
  while (race_end_.size() <= index) {
    size_t next = race_end_.size();
    RacesOf(events_[next], next, races_);
    race_end_.push_back(races_.size());
  }
  size_t begin = index == 0 ? 0 : race_end_[index - 1];
  return {races_.data() + begin, race_end_[index] - begin};
}

std::vector<size_t> HappensBefore::RacesOfPending(const ExploredEvent& pending) {
  std::vector<size_t> races;
  RacesOf(pending, size(), races);
  return races;
}

void HappensBefore::RacesOf(const ExploredEvent& event, size_t position, std::vector<size_t>& races) {
  if (event.role == Role::kAfter) return;
  Widen(event.thread);
  uint32_t* clock = clock_.data();
  ProgramOrder(event.thread, position, clock);
  auto consider = [&](size_t other) {
    if (Knows(clock, other)) return true;
    if (!CouldGoBefore(event, position, other)) return false;
    races.push_back(other);
    Join(clock, ClockOf(other));
    return true;
  };
  if (event.Has(wire::kGlobal)) {
    for (size_t i = position; i-- > 0;) consider(i);
  } else {
    VisitBack(event, position,
              [&](size_t other) { return wire::IsC11(event) && wire::IsC11(events_[other]) ? true : consider(other); });
    if (wire::IsC11(event)) AddC11Races(event, position, races);
  }
}

// A load that could have read this store had it come first; a read-modify-write that took what this one would have
// read.
void HappensBefore::AddC11Races(const ExploredEvent& event, size_t position, std::vector<size_t>& races) const {
  auto known = objects_.find(event.object);
  if (known == objects_.end()) return;
  std::vector<uint32_t> own(stride_);
  ProgramOrder(event.thread, position, own.data());
  std::vector<uint32_t> read_too = own;
  Clock program_order = own.data();
  Clock with_read = read_too.data();
  size_t from = position;
  for (const ObjectEvent& entry : known->second.events) {
    if (entry.index >= position) break;
    if (!wire::ReadsFrom(event, events_[entry.index])) continue;
    from = entry.index;
    Join(read_too.data(), ClockOf(from));
  }
  bool stores = event.role != Role::kRead;
  bool updates = event.role == Role::kUpdate || (event.role == Role::kRead && event.Has(wire::kMayWrite));
  for (size_t i = known->second.events.size(); i-- > 0;) {
    size_t other = known->second.events[i].index;
    const ExploredEvent& before = events_[other];
    if (other >= position || before.thread == event.thread || !wire::IsC11(before)) continue;
    // An await that would not have gone on with this store has nothing to gain from it.
    bool read = stores && wire::Reads(before) &&
                (before.await_bits == 0 || wire::AwaitMet(before, event.before, before.operand));
    bool conflict = read || (updates && before.role == Role::kUpdate);
    // What it waited for may be behind the one that it could have come before.
    bool own_order = other == from || event.await_bits != 0;
    if (conflict && !Knows(own_order ? program_order : with_read, other)) races.push_back(other);
  }
}

bool HappensBefore::OverlapsOther(const ExploredEvent& event) const {
  Keys keys = KeysOf(event);
  for (uint64_t key : {keys.first, keys.second}) {
    auto known = key == 0 ? objects_.end() : objects_.find(key);
    if (known == objects_.end()) continue;
    for (const ObjectEvent& entry : known->second.events) {
      const ExploredEvent& other = events_[entry.index];
      bool may = event.Has(wire::kMayWrite) || other.Has(wire::kMayWrite);
      bool same = other.object == event.object && other.bytes == event.bytes;
      if (may && !same && wire::Meet(event, other)) return true;
    }
  }
  return false;
}

size_t HappensBefore::StoreNamed(uint64_t object, uint32_t name) const {
  auto known = objects_.find(object);
  if (known == objects_.end() || name == 0) return 0;
  for (const ObjectEvent& entry : known->second.events) {
    if (events_[entry.index].own == name) return entry.index;
  }
  return size();
}

std::vector<size_t> HappensBefore::NotAfter(size_t first, size_t end) const {
  std::vector<size_t> found;
  for (size_t i = first + 1; i < end; ++i) {
    if (!Before(first, i)) found.push_back(i);
  }
  return found;
}

size_t HappensBefore::Remaining(const Object& object, size_t first) const {
  auto at = std::lower_bound(object.events.begin(), object.events.end(), first,
                             [](const ObjectEvent& entry, size_t index) { return entry.index < index; });
  while (at != object.events.end() && at->index != first && !Before(first, at->index)) ++at;
  return static_cast<size_t>(at - object.events.begin());
}

// A thread that has the lock can take it again if it did so here. One that stands before that at the end cannot.
bool HappensBefore::LockFree(const ExploredEvent& event, uint64_t object, bool shared, size_t first,
                             size_t position) const {
  auto known = objects_.find(object);
  if (known == objects_.end()) return true;
  size_t remaining = Remaining(known->second, first);
  const std::vector<ObjectEvent>& events = known->second.events;
  const LockState& state = remaining < events.size() ? events[remaining].before : known->second.now;
  if (state.owner >= 0) return state.owner == event.thread && position < size();
  return shared ? state.writers.empty() : state.readers == 0;
}

bool HappensBefore::Holds(uint32_t thread, uint64_t object, size_t first) const {
  auto known = objects_.find(object);
  if (known == objects_.end()) return false;
  size_t remaining = Remaining(known->second, first);
  const std::vector<ObjectEvent>& events = known->second.events;
  return (remaining < events.size() ? events[remaining].before : known->second.now).owner == static_cast<int>(thread);
}

bool HappensBefore::SemaphoreFree(const ExploredEvent& event, size_t first) const {
  auto known = objects_.find(event.object);
  if (known == objects_.end()) return true;
  size_t remaining = Remaining(known->second, first);
  if (remaining == known->second.events.size()) return true;
  return events_[known->second.events[remaining].index].value > 0;
}

// Nobody has run the routine, or is about to.
bool HappensBefore::FirstOnce(const ExploredEvent& event, size_t first) const {
  auto known = objects_.find(event.object);
  if (known == objects_.end()) return true;
  size_t remaining = Remaining(known->second, first);
  for (size_t i = 0; i < remaining; ++i) {
    const ExploredEvent& other = events_[known->second.events[i].index];
    if (other.role == Role::kLock && !other.Has(wire::kNoHold)) return false;
  }
  return true;
}

namespace {

// The same with another value at the event's place in its eight aligned bytes, which it does not leave.
uint64_t WordBehind(const ExploredEvent& event, uint64_t word) {
  uint32_t shift = 8U * (event.object & 7U);
  uint64_t bits = (event.bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8U * event.bytes) - 1) << shift;
  uint64_t value = wire::ValueBehind(event, (word & bits) >> shift) << shift;
  return (word & ~bits) | (value & bits);
}

}  // namespace

// What the access would find. Each byte is as it was before the first event that wrote it and is now taken away: those
// that stay and write it came before that one, since they depend on it. Or they commute with it and with all of those
// that are taken away: then they are performed again on what is left.
uint64_t HappensBefore::ValueWithout(size_t first, const ExploredEvent& event, size_t position) const {
  uint64_t value = event.before;
  uint64_t known_bits = 0;
  auto known = objects_.find(KeysOf(event).first);
  uint64_t begin = event.object & ~uint64_t{7};
  size_t count = known == objects_.end() ? 0 : known->second.events.size();
  for (size_t at = 0; at < count; ++at) {
    const ObjectEvent& entry = known->second.events[at];
    const ExploredEvent& other = events_[entry.index];
    if (entry.index < first || entry.index >= position || !other.Has(wire::kWrites)) continue;
    bool stays = entry.index != first && !Before(first, entry.index);
    if (stays && other.commutes == wire::Commutes::kNo) continue;
    uint64_t bits = 0;
    for (uint64_t i = 0; i < 8; ++i) {
      bool written = begin + i >= other.object && begin + i < other.object + other.bytes;
      if (written) bits |= uint64_t{0xFF} << 8U * i;
    }
    if (stays) {
      if ((bits & known_bits) != 0) value = WordBehind(other, value);
      continue;
    }
    bits &= ~known_bits;
    value = (value & ~bits) | (other.before & bits);
    known_bits |= bits;
  }
  value >>= 8U * (event.object - begin);
  return event.bytes >= 8 ? value : value & ((uint64_t{1} << 8U * event.bytes) - 1);
}

bool HappensBefore::WritesWithout(size_t first, const ExploredEvent& event, size_t position) const {
  switch (event.condition) {
    case wire::Condition::kFree:
      if (Holds(event.thread, event.object, first)) return event.Has(wire::kWrites);  // as it was: nobody else decides
      return LockFree(event, event.object, event.Has(wire::kShared), first, position);
    case wire::Condition::kAvailable:
      return SemaphoreFree(event, first);
    case wire::Condition::kFirst:
      return FirstOnce(event, first);
    default:
      return wire::WritesAt(event, ValueWithout(first, event, position));
  }
}

// A read-modify-write that read what came from another one takes what that one took.
ExploredEvent HappensBefore::ReadWithout(size_t first, ExploredEvent event) const {
  if (!wire::Reads(event) || events_[first].role != Role::kUpdate || events_[first].object != event.object)
    return event;
  size_t store = StoreNamed(event.object, event.value);
  bool gone = event.value != 0 && store < size() && (store == first || Before(first, store));
  if (gone) event.value = events_[first].value;
  return event;
}

ExploredEvent HappensBefore::Without(size_t first, ExploredEvent event, size_t position) const {
  if (wire::IsC11(event)) return ReadWithout(first, event);
  if (!event.Has(wire::kMayWrite)) return event;
  bool writes = WritesWithout(first, event, position);
  event.flags = static_cast<uint8_t>((event.flags & ~wire::kWrites) | (writes ? wire::kWrites : 0));
  return event;
}

bool HappensBefore::Woken(const ExploredEvent& event, size_t first) const {
  auto known = objects_.find(KeysOf(event).first);
  if (known == objects_.end()) return false;
  WaitQueue queue;
  size_t remaining = Remaining(known->second, first);
  for (size_t i = 0; i < remaining; ++i) queue.Perform(events_[known->second.events[i].index], event.object);
  return queue.CanWake(event.thread);
}

// Whether `event` could be performed when `other` and all that happens after it is taken away.
bool HappensBefore::CouldGoBefore(const ExploredEvent& event, size_t position, size_t other) const {
  if (!event.Has(wire::kWaits)) return true;
  switch (event.role) {
    case Role::kLock:
      return LockFree(event, event.object, event.Has(wire::kShared), other, position);
    case Role::kSemTake:
      return SemaphoreFree(event, other);
    case Role::kWake:
      return (event.Has(wire::kTimed) || Woken(event, other)) &&
             (event.second == 0 || LockFree(event, event.second, false, other, position));
    case Role::kAwait:
      return wire::AwaitMet(event, ValueWithout(other, event, position), event.operand);
    case Role::kReady:
      return WasReady(event.thread, position, other);
    default:
      return false;
  }
}

// Whether the thread's operation at `position` could have been performed before `other`: it says so itself when it
// stood there already; when not, that is to be tried.
bool HappensBefore::WasReady(uint32_t thread, size_t position, size_t other) const {
  const std::vector<size_t>& own = of_thread_[thread];
  auto next = std::upper_bound(own.begin(), own.end(), other);
  if (next != own.end() && *next < position) return true;
  return events_[other].enabled.Has(thread);
}

}  // namespace heddle::explore
