#include "explore/commuting_locks.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace heddle::explore {
namespace {

using wire::AccessKind;
using wire::PlainAccess;
using wire::Role;

constexpr uint64_t kMostWords = 1U << 18U;  // of all accesses of an execution together

bool IsThread(uint64_t object) { return object >= wire::ThreadKey(0) && object < wire::ThreadKey(wire::kMaxExplored); }

bool IsLock(const ExploredEvent& event) { return event.role == Role::kLock || event.role == Role::kUnlock; }

// Lock and unlock of one thread, nothing between them, and the lock is one that waits and excludes.
bool IsSection(const std::vector<ExploredEvent>& events, size_t begin) {
  if (begin + 1 >= events.size()) return false;
  const ExploredEvent& lock = events[begin];
  const ExploredEvent& unlock = events[begin + 1];
  return lock.role == Role::kLock && lock.flags == (wire::kWrites | wire::kWaits) && lock.second == 0 &&
         unlock.role == Role::kUnlock && unlock.thread == lock.thread && unlock.object == lock.object &&
         unlock.second == 0;
}

// The accesses of one execution against each other. What orders them: program order, creating and joining threads, and
// locks that matter, the mutexes of condition variables among them. Atomics, semaphores and so on are left out: they
// order events for the search, but not always accesses for the language.
class AccessCheck {
 public:
  using Matters = std::function<void(uint64_t lock)>;
  AccessCheck(const CommutingLocks& locks, Matters matters) : locks_(locks), matters_(std::move(matters)) {}

  // False: two accesses may race.
  bool Run(const Execution& execution) {
    size_t next = 0;
    size_t threads = 1;
    for (const ExploredEvent& event : execution.events) threads = std::max<size_t>(threads, event.thread + 1U);
    for (const PlainAccess& access : execution.accesses) threads = std::max<size_t>(threads, access.thread + 1U);
    clocks_.assign(threads, Clock(threads));
    section_.assign(threads, 0);
    for (const PlainAccess& access : execution.accesses) {
      for (; next < access.after && next < execution.events.size(); ++next) Perform(execution.events[next]);
      if (access.kind == AccessKind::kOutside) {
        if (section_[access.thread] != 0) matters_(section_[access.thread]);
        continue;
      }
      if (!Enter(access)) return false;
    }
    return true;
  }

 private:
  using Clock = std::vector<uint32_t>;  // by thread
  struct Seen {
    uint64_t section;
    uint32_t stamp;
    uint16_t thread;
    AccessKind kind;
    uint8_t bytes;  // a bit for each byte of the word
    bool operator==(const Seen&) const = default;
  };

  void Perform(const ExploredEvent& event) {
    Clock& clock = clocks_[event.thread];
    ++clock[event.thread];
    section_[event.thread] = event.role == Role::kLock && locks_.Commutes(event.object) ? event.object : 0;
    bool orders = IsThread(event.object) || (IsLock(event) && !locks_.Commutes(event.object));
    if (orders) Synchronise(clock, objects_[event.object], event.Has(wire::kWrites));
    if ((event.role == Role::kSleepBegins || event.role == Role::kWake) && event.second != 0) {
      Synchronise(clock, objects_[event.second], true);
    }
  }

  static void Synchronise(Clock& clock, Clock& object, bool releases) {
    object.resize(clock.size());
    for (size_t i = 0; i < clock.size(); ++i) {
      clock[i] = std::max(clock[i], object[i]);
      if (releases) object[i] = clock[i];
    }
  }

  bool Enter(const PlainAccess& access) {
    uint64_t end = access.address + access.bytes;
    for (uint64_t word = access.address & ~uint64_t{7}; word < end; word += 8) {
      if (++words_entered_ > kMostWords) return false;
      uint32_t bytes = 0xFF;
      if (access.address > word) bytes &= 0xFFU << (access.address - word);
      if (end < word + 8) bytes &= 0xFFU >> (word + 8 - end);
      Seen now{section_[access.thread], clocks_[access.thread][access.thread], access.thread, access.kind,
               static_cast<uint8_t>(bytes)};
      if (!EnterWord(words_[word], now)) return false;
    }
    return true;
  }

  bool EnterWord(std::vector<Seen>& word, const Seen& now) {
    bool known = false;
    for (const Seen& before : word) {
      known = known || before == now;
      if (!Conflict(before, now) || clocks_[now.thread][before.thread] > before.stamp) continue;
      if (now.section == 0 || now.section != before.section) return false;
      bool both_add = before.kind == AccessKind::kAdd && now.kind == AccessKind::kAdd && before.bytes == now.bytes;
      if (!both_add) matters_(now.section);
    }
    if (!known) word.push_back(now);
    return true;
  }

  static bool Conflict(const Seen& a, const Seen& b) {
    return a.thread != b.thread && (a.bytes & b.bytes) != 0 &&
           (a.kind != AccessKind::kRead || b.kind != AccessKind::kRead);
  }

  const CommutingLocks& locks_;
  Matters matters_;
  std::vector<Clock> clocks_;
  std::vector<uint64_t> section_;  // by thread: the lock of the section that the thread is in, if it commutes
  std::unordered_map<uint64_t, Clock> objects_;
  std::unordered_map<uint64_t, std::vector<Seen>> words_;
  uint64_t words_entered_ = 0;
};

}  // namespace

std::set<uint64_t> CommutingLocks::Commuting() const {
  std::set<uint64_t> commuting;
  for (uint64_t lock : seen_) {
    if (Commutes(lock)) commuting.insert(lock);
  }
  return commuting;
}

void CommutingLocks::AllMatter(const char* why) {
  if (!all_matter_) why_ = why;
  all_matter_ = true;
}

ExploredEvent CommutingLocks::Shown(ExploredEvent event) const {
  if (!IsLock(event) || !Commutes(event.object)) return event;
  event.role = Role::kAccess;
  event.object = event.second = 0;
  event.flags = 0;
  return event;
}

bool CommutingLocks::Learn(const Execution& execution) {
  if (all_matter_) return false;
  std::set<uint64_t> before = Commuting();
  bool whole = execution.end == End::kDone || execution.end == End::kDeadlock || execution.end == End::kBlocked ||
               execution.end == End::kDepth;
  if (!whole) AllMatter("an execution did not go as planned");
  if (!execution.accesses_known)
    AllMatter("too many accesses, or a part of the program was built without the clang plugin");
  LearnUse(execution);
  // A lock that turns out to matter orders accesses, but no longer protects those in its sections from a second look.
  for (size_t known = SIZE_MAX; !all_matter_ && known != matter_.size();) {
    known = matter_.size();
    LearnAccesses(execution);
  }
  return std::any_of(before.begin(), before.end(), [this](uint64_t lock) { return !Commutes(lock); });
}

void CommutingLocks::LearnUse(const Execution& execution) {
  const std::vector<ExploredEvent>& events = execution.events;
  for (const ExploredEvent& event : execution.pending) {
    if (event.role == Role::kLock) seen_.insert(event.object);
  }
  for (size_t i = 0; i < events.size(); ++i) {
    const ExploredEvent& event = events[i];
    if (event.Has(wire::kShared)) return AllMatter("it uses locks for reading");
    if (event.role == Role::kLock) seen_.insert(event.object);
    if (IsSection(events, i) || (i > 0 && IsSection(events, i - 1))) continue;
    matter_.insert(event.object);
    matter_.insert(wire::SecondObject(event));
  }
}

void CommutingLocks::LearnAccesses(const Execution& execution) {
  AccessCheck check(*this, [this](uint64_t lock) { found_.insert(lock); });
  bool ordered = check.Run(execution);
  matter_.merge(found_);
  found_.clear();
  if (!ordered) AllMatter("accesses without a lock in common are not shown to be ordered");
}

}  // namespace heddle::explore
