#include "deadlock/races/races.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <numeric>

#include "deadlock/cycles/names.h"

namespace heddle::deadlock {
namespace {

auto Likeness(const Access& access) {
  return std::tie(access.loc, access.bytes, access.writes, access.atomic, access.is_volatile, access.own, access.fresh,
                  access.element, access.moment, access.guards);
}

constexpr uint64_t kMaxPairs = 30'000'000;  // that are compared, in all
constexpr int kUndecidedRank = 20;

// Whether bytes [a, a + n) + any multiple of `step` can touch [b, b + m).
bool MeetModulo(int64_t a, int64_t n, int64_t b, int64_t m, int64_t step) {
  if (n >= step || m >= step) return true;
  int64_t distance = ((b - a) % step + step) % step;
  return distance < n || step - distance < m;
}

}  // namespace

Races::Races(const Locksets& locksets, const AccessLog& log, const Handoffs& handoffs)
    : locksets_(locksets), log_(log), locations_(locksets.facts().points().locations()), handoffs_(handoffs) {
  // Two flags may each be free of races because of the other: the first race of a run would be where neither has been
  // broken yet.
  do {
    SearchAll();
  } while (Distrust());
  std::sort(races_.begin(), races_.end(), [](const Race& a, const Race& b) {
    bool usual_a = a.usual_lock == kNoLoc, usual_b = b.usual_lock == kNoLoc;  // those with a lock first
    return std::tie(usual_a, a.rank, a.name, a.first->loc) < std::tie(usual_b, b.rank, b.name, b.first->loc);
  });
}

void Races::SearchAll() {
  races_.clear();
  racing_.clear();
  shared_accesses_ = undecided_ = 0;
  pairs_ = 0;
  for (const auto& [object, accesses] : log_.by_object()) {
    shared_accesses_ += accesses.size();
    Search(accesses);
  }
}

bool Races::Distrust() {
  size_t before = distrusted_.size();
  for (const auto& [loc, handoff] : handoffs_.all()) {
    for (const llvm::Instruction* at : handoff.plain) {
      if (racing_.count(at) != 0) distrusted_.insert(loc);
    }
  }
  return distrusted_.size() != before;
}

void Races::Search(const std::vector<Access>& accesses) {
  bool written = std::any_of(accesses.begin(), accesses.end(), [](const Access& access) { return access.writes; });
  if (!written) return;
  std::map<decltype(Likeness(accesses[0])), Group> groups;
  for (const Access& access : accesses) {
    Group& group = groups[Likeness(access)];
    if (group.example == nullptr) group.example = &access;
    group.all.push_back(&access);
  }
  std::map<std::string, Race> best;
  for (auto a = groups.begin(); a != groups.end() && pairs_ <= kMaxPairs; ++a) {
    for (auto b = a; b != groups.end() && pairs_ <= kMaxPairs; ++b) Compare(a->second, b->second, &best);
  }
  if (pairs_ > kMaxPairs) GiveUp(accesses, &best);
  for (const auto& [likeness, group] : groups) {
    if (!group.racing && pairs_ <= kMaxPairs) continue;
    for (const Access* access : group.all) racing_.insert(access->at);
  }
  for (auto& [name, race] : best) {
    FindUsualLock(accesses, &race);
    races_.push_back(std::move(race));
  }
}

// Held at more than half of the places, and at two or more: the others were forgotten.
void Races::FindUsualLock(const std::vector<Access>& accesses, Race* race) const {
  std::set<const llvm::Instruction*> places;
  std::map<LocId, std::set<const llvm::Instruction*>> unlocked;  // places where the lock is not held in some context
  std::set<LocId> locks;
  std::vector<const Access*> same;
  for (const Access& access : accesses) {
    if (access.loc != race->first->loc && access.loc != race->second->loc) continue;
    same.push_back(&access);
    places.insert(access.at);
    for (const MustLock& lock : log_.moment(access.moment).must) {
      if (!locksets_.transfer().IsThread(lock.loc)) locks.insert(lock.loc);
    }
  }
  race->places = places.size();
  for (LocId lock : locks) {
    std::set<const llvm::Instruction*> without;
    for (const Access* access : same) {
      const std::vector<MustLock>& must = log_.moment(access->moment).must;
      bool held = std::any_of(must.begin(), must.end(), [&](const MustLock& one) { return one.loc == lock; });
      if (!held) without.insert(access->at);
    }
    size_t held = places.size() - without.size();
    if (held < 2 || held * 2 <= places.size() || held <= race->locked_places) continue;
    race->usual_lock = lock;
    race->locked_places = held;
  }
}

// Not all pairs were compared: any access to the object may race with a write.
void Races::GiveUp(const std::vector<Access>& accesses, std::map<std::string, Race>* best) {
  ++undecided_;
  auto write = std::find_if(accesses.begin(), accesses.end(), [](const Access& access) { return access.writes; });
  Race race{&*write, &accesses.front(), {}, kUndecidedRank, accesses.size() - 1, NameOf(*write)};
  const std::set<OriginId>&x = log_.moment(write->moment).origins, &y = log_.moment(accesses.front().moment).origins;
  if (x.empty() || y.empty()) return;
  race.threads = {*x.begin(), *y.begin()};
  best->try_emplace(race.name, race);
}

const std::string& Races::NameOf(const Access& access) {
  auto [name, fresh] = names_.try_emplace(access.loc);
  if (fresh) name->second = LockName(locations_, access.loc);
  return name->second;
}

void Races::Compare(Group& a, Group& b, std::map<std::string, Race>* best) {
  ++pairs_;
  const Access &x = *a.example, &y = *b.example;
  Race race{&x, &y, {}, 0, 0, ""};
  if (!Conflict(x, y) || !CanTouch(locations_.loc(x.loc), x.bytes, locations_.loc(y.loc), y.bytes)) return;
  if (Protected(x, y) || !Parallel(x.moment, y.moment, &race.threads)) return;
  a.racing = b.racing = true;
  // Whether the address is handed on in order is not known: not worth a report, nor free of races.
  if (x.fresh || y.fresh) return;
  race.name = NameOf(y.bytes < x.bytes ? y : x);  // of a member and the whole, the member
  race.rank = Rank(race);
  size_t pairs = a.example == b.example ? a.all.size() * (a.all.size() + 1) / 2 : a.all.size() * b.all.size();
  auto [place, first] = best->try_emplace(race.name, race);
  if (!first && race.rank < place->second.rank) {
    race.others = place->second.others;
    place->second = race;
  }
  place->second.others += pairs - (first ? 1 : 0);
}

bool Races::Conflict(const Access& a, const Access& b) const {
  if (!a.writes && !b.writes) return false;
  if (a.atomic && b.atomic) return false;
  if (a.element.array != nullptr && a.element == b.element) return false;
  return !(a.own && b.own);
}

bool CanTouch(const Loc& a, int64_t a_bytes, const Loc& b, int64_t b_bytes) {
  auto end = [](const Loc& loc, int64_t bytes) {
    int64_t last = loc.stride == 0 ? loc.offset : std::max(loc.offset, loc.end - 1);
    return last >= Locations::kUnbounded - bytes ? Locations::kUnbounded : last + bytes;
  };
  if (a.offset >= end(b, b_bytes) || b.offset >= end(a, a_bytes)) return false;
  int64_t step = std::gcd(a.stride, b.stride);
  return step == 0 || MeetModulo(a.offset, a_bytes, b.offset, b_bytes, step);
}

bool Races::Protected(const Access& a, const Access& b) const {
  auto excludes = [](Mode x, Mode y) { return !(x == Mode::kRead && y == Mode::kRead); };
  for (const MustLock& x : log_.moment(a.moment).must) {
    for (const MustLock& y : log_.moment(b.moment).must) {
      if (x.loc == y.loc && excludes(x.mode, y.mode)) return true;
    }
  }
  for (const MustLock& x : log_.moment(a.moment).orders) {
    if (distrusted_.count(x.loc) != 0) continue;
    for (const MustLock& y : log_.moment(b.moment).orders) {
      // Not yet released by the one, seen by the other. Two who have not released it yet know nothing.
      if (x.loc == y.loc && x.mode != y.mode) return true;
    }
  }
  for (const Guard& x : a.guards) {
    for (const Guard& y : b.guards) {
      if (x.distance == y.distance && excludes(x.mode, y.mode)) return true;
    }
  }
  return false;
}

// Thread x lives under a lock that another thread holds for it (Locksets::InheritedBy), and y has that lock there, or
// lives under it because a third one holds it.
bool Races::LivesApart(OriginId x, OriginId y, const Moment& there) const {
  auto excludes = [](Mode a, Mode b) { return a == Mode::kWrite || b == Mode::kWrite; };
  for (const Inherited& one : locksets_.InheritedBy(x)) {
    if (one.holder == y) continue;
    for (const MustLock& lock : there.must) {
      if (lock.loc == one.lock && excludes(lock.mode, one.mode)) return true;
    }
    for (const Inherited& other : locksets_.InheritedBy(y)) {
      if (other.lock == one.lock && other.holder != one.holder && other.holder != x && excludes(other.mode, one.mode))
        return true;
    }
  }
  return false;
}

bool Races::Parallel(MomentId a, MomentId b, std::pair<OriginId, OriginId>* threads) {
  auto [place, fresh] = parallel_.try_emplace({a, b});
  if (fresh) {
    const Moment &here = log_.moment(a), &there = log_.moment(b);
    for (OriginId x : here.origins) {
      for (OriginId y : there.origins) {
        bool meet = locksets_.Parallel(x, y) || (x != y && (here.running.count(y) != 0 || there.running.count(x) != 0));
        meet = meet && !LivesApart(x, y, there) && !LivesApart(y, x, here);
        if (meet && !place->second.first) place->second = {true, {x, y}};
      }
    }
  }
  *threads = place->second.second;
  return place->second.first;
}

int Races::Rank(const Race& race) const {
  int rank = 0;
  for (const Access* access : {race.first, race.second}) {
    ObjectKind kind = locations_.object_of(access->loc).kind;
    if (!locksets_.facts().Single(access->loc)) rank += 1;
    if (access->many_targets) rank += 2;
    if (access->is_volatile) rank += 1;
    if (kind == ObjectKind::kExternal || kind == ObjectKind::kCaller) rank += 2;
    if (locksets_.contexts()[access->context].merged) rank += 2;
  }
  for (OriginId id : {race.threads.first, race.threads.second}) {
    if (locksets_.origins()[id].anytime) rank += 2;
  }
  // A variable that is sometimes locked is meant to be.
  bool locked = std::any_of(log_.moment(race.first->moment).must.begin(), log_.moment(race.first->moment).must.end(),
                            [&](const MustLock& lock) { return !locksets_.transfer().IsThread(lock.loc); });
  locked |=
      !log_.moment(race.second->moment).must.empty() || !race.first->guards.empty() || !race.second->guards.empty();
  if (!locked) rank += 1;
  return rank + (locksets_.detail() == Detail::kContexts ? 0 : 4);
}

}  // namespace heddle::deadlock
