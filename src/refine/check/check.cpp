// Figure 3.13 and definition 23 of "Lock Correctness" in one pass over two traces.
//
// A transition runs from one lock operation to the next. For transition i of the transformed thread the race
// constraints look at the transitions first(i) to last(i) of the original: from the most recent unlock (i itself when
// it is one) to before the next lock. No such range crosses a lock, so the original is read ahead as far as last(i);
// then "some transition of the range writes x" is "the last write to x is in first(i) or later", one number for each
// location. At unlock u only places that one of the threads wrote since the last unlock can newly differ; those that
// the original writes again before the next lock are exempt, and all others have the value in the original that they
// had at u. A write to a part of a location counts as one to all its bytes: those that it leaves as they are were
// exempt before it and are looked at again. At a lock only what the environment wrote can newly differ (docs/refine.md
// has the induction). Every event and every written place is visited once: linear. check_test.cpp compares it with a
// literal evaluation over whole states and with definition 9.
#include "refine/check/check.h"

#include <algorithm>

namespace heddle::refine {

namespace {

// A trace cut into transitions: where each lock operation stands.
std::vector<size_t> Syncs(const Trace& trace) {
  std::vector<size_t> syncs;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].is_sync()) syncs.push_back(i);
  }
  return syncs;
}

class Matcher {
 public:
  Matcher(const Trace& original, const Trace& transformed, const CheckOptions& options)
      : original_(original),
        transformed_(transformed),
        options_(options),
        syncs_(Syncs(original)),
        syncs2_(Syncs(transformed)) {
    LayOut();
  }

  Verdict Run();

 private:
  // Numbers of transitions plus one; 0: never.
  struct Location {
    uint32_t written = 0;
    uint32_t accessed = 0;
    uint32_t accessed2 = 0;  // by the transformed thread
  };
  struct Byte {
    uint32_t location = 0;
    uint32_t touched = 0;  // transition + 1 in which it was put into the list
    uint32_t touched2 = 0;
    uint8_t mask = 0;
    uint8_t value = 0;
    uint8_t value2 = 0;
    bool differs() const { return ((value ^ value2) & mask) != 0; }
  };

  void LayOut();
  bool IsLock(uint32_t i) const { return original_.events[syncs_[i]].kind() == EventKind::kLock; }
  uint32_t LastOfRange(uint32_t i) const;
  void ReadAhead(uint32_t i);
  void OriginalEvents(uint32_t i);
  void Touch(uint32_t place, uint32_t i);
  void TouchRest(const Event& event, uint32_t i);
  void Touch2(uint32_t place, uint32_t i);
  bool EnterLock(uint32_t i);
  bool EnvironmentRaces(uint32_t i, uint32_t first, size_t begin, size_t end) const;
  size_t EnvironmentEnd(const Trace& trace, size_t sync) const;
  void ApplyEnvironment(uint32_t i, size_t begin, size_t end);
  void ApplyEnvironment2(uint32_t i, size_t begin, size_t end);
  bool SameEnvironment(uint32_t i, uint32_t first);
  bool SameLock(uint32_t i);
  bool StateAtUnlock(uint32_t i);
  bool CheckPlace(uint32_t place, uint32_t i);
  bool TransformedEvents(uint32_t i, uint32_t first);
  bool TransformedAccess(size_t at, uint32_t i, uint32_t first);
  void Pokes(uint32_t i);
  bool Finish();
  bool Fail(Constraint constraint, uint32_t i, uint32_t place, size_t event);
  size_t EndOf(const Trace& trace, const std::vector<size_t>& syncs, uint32_t i) const {
    return i + 1 < syncs.size() ? syncs[i + 1] : trace.events.size();
  }

  const Trace& original_;
  const Trace& transformed_;
  CheckOptions options_;
  std::vector<size_t> syncs_, syncs2_;
  std::vector<Byte> bytes_;
  std::vector<Location> locations_;
  uint32_t ahead_ = 0;  // transitions of the original that were read
  // Places that the original wrote, transition by transition, and where the list of each transition ends. Those before
  // `checked_` were looked at.
  std::vector<uint32_t> touched_;
  std::vector<size_t> touched_end_;
  size_t checked_ = 0;
  std::vector<uint32_t> touched2_;
  uint32_t recent_unlock_ = 0;  // 0 as long as there is none
  Verdict verdict_;
};

void Matcher::LayOut() {
  bytes_.resize(original_.PlaceLimit());
  locations_.resize(bytes_.size());
  for (uint32_t place = 0; place < bytes_.size(); ++place) bytes_[place].location = place;
  for (const Symbol& symbol : original_.symbols) {
    for (uint32_t i = 0; i < symbol.size(); ++i) {
      Byte& byte = bytes_[symbol.base + i];
      byte.location = symbol.base + symbol.bytes[i].location;
      byte.mask = symbol.bytes[i].mask;
      byte.value = byte.value2 = symbol.initial[i];
    }
  }
}

bool Matcher::Fail(Constraint constraint, uint32_t i, uint32_t place, size_t event) {
  verdict_.violation = {constraint, i, place, event, i < syncs_.size() ? syncs_[i] : kNoEvent};
  return false;
}

// The range of a lock that another lock follows ends with it; else it goes on through the unlocks behind it.
uint32_t Matcher::LastOfRange(uint32_t i) const {
  while (i + 1 < syncs_.size() && !IsLock(i + 1)) ++i;
  return i;
}

void Matcher::Touch(uint32_t place, uint32_t i) {
  Byte& byte = bytes_[place];
  if (byte.touched == i + 1) return;
  byte.touched = i + 1;
  touched_.push_back(place);
}

// The other bytes of a location that the event writes in part, before and behind it. Locations are ranges.
void Matcher::TouchRest(const Event& event, uint32_t i) {
  uint32_t first = event.place;
  for (uint32_t place = first; place > 0 && bytes_[place - 1].location == bytes_[first].location; --place) {
    Touch(place - 1, i);
  }
  uint32_t last = event.place + event.size() - 1;
  for (uint32_t place = last + 1; place < bytes_.size() && bytes_[place].location == bytes_[last].location; ++place) {
    Touch(place, i);
  }
}

void Matcher::Touch2(uint32_t place, uint32_t i) {
  Byte& byte = bytes_[place];
  if (byte.touched2 == i + 1) return;
  byte.touched2 = i + 1;
  touched2_.push_back(place);
}

void Matcher::OriginalEvents(uint32_t i) {
  size_t begin = EnvironmentEnd(original_, syncs_[i]);
  size_t end = EndOf(original_, syncs_, i);
  for (size_t at = begin; at < end; ++at) {
    const Event& event = original_.events[at];
    bool write = event.kind() == EventKind::kWrite;
    for (uint32_t k = 0; k < event.size(); ++k) {
      Byte& byte = bytes_[event.place + k];
      if (byte.mask == 0) continue;
      Location& location = locations_[byte.location];
      location.accessed = i + 1;
      if (!write) continue;
      location.written = i + 1;
      byte.value = static_cast<uint8_t>(event.value >> (8 * k));
      Touch(event.place + k, i);
    }
    if (write) TouchRest(event, i);
  }
}

void Matcher::ReadAhead(uint32_t i) {
  if (ahead_ > i) return;
  uint32_t last = LastOfRange(i);
  for (; ahead_ <= last; ++ahead_) {
    OriginalEvents(ahead_);
    touched_end_.push_back(touched_.size());
  }
}

size_t Matcher::EnvironmentEnd(const Trace& trace, size_t sync) const {
  size_t end = sync + 1;
  while (end < trace.events.size() && trace.events[end].kind() == EventKind::kEnvironment) ++end;
  return end;
}

// Definition 23: the transformed thread's environment changes a location that since `first` only the original accessed.
bool Matcher::EnvironmentRaces(uint32_t i, uint32_t first, size_t begin, size_t end) const {
  for (size_t at = begin; at < end; ++at) {
    const Event& event = transformed_.events[at];
    for (uint32_t k = 0; k < event.size(); ++k) {
      const Byte& byte = bytes_[event.place + k];
      const Location& location = locations_[byte.location];
      bool only_original = location.accessed > first && location.accessed <= i && location.accessed2 <= first;
      auto value = static_cast<uint8_t>(event.value >> (8 * k));
      if (only_original && ((value ^ byte.value2) & byte.mask) != 0) return true;
    }
  }
  return false;
}

void Matcher::ApplyEnvironment(uint32_t i, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at) {
    const Event& event = original_.events[at];
    for (uint32_t k = 0; k < event.size(); ++k) {
      bytes_[event.place + k].value = static_cast<uint8_t>(event.value >> (8 * k));
      Touch(event.place + k, i);
    }
  }
}

void Matcher::ApplyEnvironment2(uint32_t i, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at) {
    const Event& event = transformed_.events[at];
    for (uint32_t k = 0; k < event.size(); ++k) {
      bytes_[event.place + k].value2 = static_cast<uint8_t>(event.value >> (8 * k));
      Touch2(event.place + k, i);
    }
  }
}

// Lines 12 and 13, for what an environment wrote.
bool Matcher::SameEnvironment(uint32_t i, uint32_t first) {
  for (const Trace* trace : {&original_, &transformed_}) {
    size_t sync = trace == &original_ ? syncs_[i] : syncs2_[i];
    for (size_t at = sync + 1; at < EnvironmentEnd(*trace, sync); ++at) {
      const Event& event = trace->events[at];
      for (uint32_t k = 0; k < event.size(); ++k) {
        const Byte& byte = bytes_[event.place + k];
        if (locations_[byte.location].accessed <= first && byte.differs()) {
          return Fail(Constraint::kStateAtLock, i, event.place + k, syncs2_[i]);
        }
      }
    }
  }
  return true;
}

bool Matcher::SameLock(uint32_t i) {
  const Event& a = original_.events[syncs_[i]];
  const Event& b = transformed_.events[syncs2_[i]];
  if (a.kind() == b.kind() && a.place == b.place) return true;
  return Fail(Constraint::kSameLocks, i, 0, syncs2_[i]);
}

// `i` is a lock of the original.
bool Matcher::EnterLock(uint32_t i) {
  uint32_t first = recent_unlock_;
  size_t end = EnvironmentEnd(original_, syncs_[i]);
  size_t end2 = EnvironmentEnd(transformed_, syncs2_[i]);
  // Nothing was accessed before transition 0.
  if (i > 0 && EnvironmentRaces(i, first, syncs2_[i] + 1, end2)) {
    verdict_.vacuous = true;
    return false;
  }
  ApplyEnvironment(i, syncs_[i] + 1, end);
  ApplyEnvironment2(i, syncs2_[i] + 1, end2);
  if (!SameLock(i) || !SameEnvironment(i, first)) return false;
  ReadAhead(i);
  return TransformedEvents(i, first);
}

bool Matcher::CheckPlace(uint32_t place, uint32_t i) {
  const Byte& byte = bytes_[place];
  // Written again by the original before the next lock: no context can look.
  if (!byte.differs() || locations_[byte.location].written > i) return true;
  return Fail(Constraint::kStateAtUnlock, i, place, syncs2_[i]);
}

bool Matcher::StateAtUnlock(uint32_t i) {
  size_t end = i == 0 ? 0 : touched_end_[i - 1];
  uint32_t worst = ~0U;  // the lowest place, so that the answer does not depend on the order of the lists
  auto look = [&](uint32_t place) {
    if (place < worst && !CheckPlace(place, i)) worst = place;
  };
  for (; checked_ < end; ++checked_) look(touched_[checked_]);
  for (uint32_t place : touched2_) look(place);
  touched2_.clear();
  if (worst == ~0U) return true;
  return CheckPlace(worst, i);
}

bool Matcher::TransformedAccess(size_t at, uint32_t i, uint32_t first) {
  const Event& event = transformed_.events[at];
  bool write = event.kind() == EventKind::kWrite;
  for (uint32_t k = 0; k < event.size(); ++k) {
    Byte& byte = bytes_[event.place + k];
    if (byte.mask == 0) continue;
    Location& location = locations_[byte.location];
    bool fresh = location.accessed2 != i + 1;
    location.accessed2 = i + 1;
    if (write) {
      byte.value2 = static_cast<uint8_t>(event.value >> (8 * k));
      Touch2(event.place + k, i);
      if (location.written <= first) return Fail(Constraint::kWriteRace, i, event.place + k, at);
    } else if (location.accessed <= first) {
      if (options_.reads) return Fail(Constraint::kReadRace, i, event.place + k, at);
      if (fresh) verdict_.extra_reads.push_back({Constraint::kReadRace, i, event.place + k, at, syncs_[i]});
    }
  }
  return true;
}

bool Matcher::TransformedEvents(uint32_t i, uint32_t first) {
  size_t end = EndOf(transformed_, syncs2_, i);
  for (size_t at = EnvironmentEnd(transformed_, syncs2_[i]); at < end; ++at) {
    if (!TransformedAccess(at, i, first)) return false;
  }
  return true;
}

// Writes of the environment behind an unlock, equal on both sides and where the original accesses nothing up to the
// next lock (campaign/pair.h): what comes later sees the new value on both sides.
void Matcher::Pokes(uint32_t i) {
  for (size_t at = syncs_[i] + 1; at < EnvironmentEnd(original_, syncs_[i]); ++at) {
    const Event& event = original_.events[at];
    for (uint32_t k = 0; k < event.size(); ++k) {
      Byte& byte = bytes_[event.place + k];
      byte.value = byte.value2 = static_cast<uint8_t>(event.value >> (8 * k));
    }
  }
}

bool Matcher::Finish() {
  if (syncs_.size() != syncs2_.size()) {
    auto common = static_cast<uint32_t>(std::min(syncs_.size(), syncs2_.size()));
    return Fail(Constraint::kLength, common, 0, common < syncs2_.size() ? syncs2_[common] : kNoEvent);
  }
  bool ended = original_.end == RunEnd::kEnded;
  if (transformed_.end == RunEnd::kEnded && !ended) return Fail(Constraint::kTermination, 0, 0, kNoEvent);
  return true;
}

Verdict Matcher::Run() {
  auto common = static_cast<uint32_t>(std::min(syncs_.size(), syncs2_.size()));
  for (uint32_t i = 0; i < common; ++i) {
    if (IsLock(i)) {
      if (!EnterLock(i)) return verdict_;
      continue;
    }
    ReadAhead(i);
    recent_unlock_ = i;
    if (!SameLock(i) || !StateAtUnlock(i)) return verdict_;
    Pokes(i);
    if (!TransformedEvents(i, i)) return verdict_;
  }
  Finish();
  return verdict_;
}

bool IsVolatile(const Trace& trace, const Event& event) {
  const Symbol* symbol = trace.SymbolAt(event.place);
  return symbol != nullptr && symbol->bytes[event.place - symbol->base].is_volatile;
}

// The next event at or after `at` that is a lock operation or an access to a volatile object.
size_t NextVisible(const Trace& trace, size_t at) {
  while (at < trace.events.size()) {
    const Event& event = trace.events[at];
    if (event.is_sync() || (event.kind() != EventKind::kEnvironment && IsVolatile(trace, event))) break;
    ++at;
  }
  return at;
}

bool HasVolatile(const Trace& trace) {
  for (const Symbol& symbol : trace.symbols) {
    for (const ByteInfo& byte : symbol.bytes) {
      if (byte.is_volatile) return true;
    }
  }
  return false;
}

// Whether a byte is of a run of bit-fields, which builds access by units of their own choice.
bool IsBitField(const Symbol& symbol, uint32_t offset) {
  const ByteInfo& byte = symbol.bytes[offset];
  auto shares = [&](uint32_t other) { return other < symbol.size() && symbol.bytes[other].location == byte.location; };
  return byte.mask != 0xff || (byte.unit == 1 && (shares(offset - 1) || shares(offset + 1)));
}

bool SameAccess(const Trace& trace, const Event& a, const Event& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_sync()) return true;  // compared by the matcher
  const Symbol* symbol = trace.SymbolAt(a.place);
  if (symbol != trace.SymbolAt(b.place)) return false;
  auto location = [&](const Event& e) { return symbol->bytes[e.place - symbol->base].location; };
  if (location(a) != location(b)) return false;
  if (IsBitField(*symbol, a.place - symbol->base)) return true;
  return a.place == b.place && a.size() == b.size() && (a.kind() == EventKind::kRead || a.value == b.value);
}

// Accesses to volatile objects happen as the original does them, one by one.
void CheckVolatile(const Trace& original, const Trace& transformed, Verdict& verdict) {
  if (!verdict.matches() || verdict.vacuous || !HasVolatile(original)) return;
  size_t a = 0;
  size_t b = 0;
  uint32_t transition = 0;
  while (true) {
    a = NextVisible(original, a);
    b = NextVisible(transformed, b);
    bool end_a = a == original.events.size();
    bool end_b = b == transformed.events.size();
    if (end_a && end_b) return;
    if (end_a || end_b || !SameAccess(original, original.events[a], transformed.events[b])) break;
    transition += original.events[a].is_sync() ? 1 : 0;
    ++a;
    ++b;
  }
  uint32_t place = b < transformed.events.size() && !transformed.events[b].is_sync() ? transformed.events[b].place
                   : a < original.events.size() && !original.events[a].is_sync()     ? original.events[a].place
                                                                                     : 0;
  verdict.violation = {Constraint::kVolatile, transition == 0 ? 0 : transition - 1, place,
                       b < transformed.events.size() ? b : kNoEvent, a < original.events.size() ? a : kNoEvent};
}

}  // namespace

std::string_view ConstraintName(Constraint constraint) {
  static constexpr std::string_view kNames[] = {"none",      "length",        "same-locks",      "write-race",
                                                "read-race", "state-at-lock", "state-at-unlock", "termination",
                                                "volatile"};
  return kNames[static_cast<size_t>(constraint)];
}

Verdict CheckTraces(const Trace& original, const Trace& transformed, const CheckOptions& options) {
  Verdict verdict = Matcher(original, transformed, options).Run();
  CheckVolatile(original, transformed, verdict);
  return verdict;
}

}  // namespace heddle::refine
