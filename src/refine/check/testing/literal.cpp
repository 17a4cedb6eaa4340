#include "refine/check/testing/literal.h"

#include <algorithm>

namespace heddle::refine::testing {
namespace {

using Items = std::vector<Transition>;

Set Accesses(const Transition& item) {
  Set all = item.reads;
  all.insert(item.writes.begin(), item.writes.end());
  return all;
}

// W_from ∪ ... ∪ W_to-1, and the same for A.
Set UnionWrites(const Items& items, int from, int to) {
  Set all;
  for (int k = std::max(from, 0); k < to; ++k) all.insert(items[k].writes.begin(), items[k].writes.end());
  return all;
}
Set UnionAccesses(const Items& items, int from, int to) {
  Set all;
  for (int k = std::max(from, 0); k < to; ++k) {
    Set one = Accesses(items[k]);
    all.insert(one.begin(), one.end());
  }
  return all;
}

bool Subset(const Set& a, const Set& b) { return std::includes(b.begin(), b.end(), a.begin(), a.end()); }

int NextLock(const Items& items, int i) {
  for (int j = i + 1; j < static_cast<int>(items.size()); ++j) {
    if (items[j].is_lock) return j;
  }
  return static_cast<int>(items.size());
}

int PrevUnlock(const Items& items, int i) {
  for (int j = i - 1; j > 0; --j) {
    if (!items[j].is_lock) return j;
  }
  return 0;
}

bool SameOutside(const State& a, const State& b, const Set& exempt) {
  for (int x = 0; x < static_cast<int>(a.size()); ++x) {
    if (!exempt.contains(x) && a[x] != b[x]) return false;
  }
  return true;
}

Items Prefix(const Items& items, int n) { return {items.begin(), items.begin() + n}; }

// A_j ∪ ... ∪ A_i-1 of the original without that of the transformed thread: does one of them change at lock i?
bool ChangesUnseen(const Items& t2, const Items& t, int i) {
  if (i == 0) return false;
  int j = PrevUnlock(t, i);
  Set seen = UnionAccesses(t2, j, i);
  for (int x : UnionAccesses(t, j, i)) {
    if (!seen.contains(x) && t2[i - 1].end[x] != t2[i].start[x]) return true;
  }
  return false;
}

bool MatchNestedA(const Items& t2, const Items& t, Reading reading) {
  if (t2.size() != t.size()) return false;
  int n = static_cast<int>(t.size());
  for (int i = 0; i < n; ++i) {
    if (t2[i].lock != t[i].lock || t2[i].is_lock != t[i].is_lock) return false;
    int l = PrevUnlock(t, i);
    if (reading == Reading::kSound && !t[i].is_lock) l = i;
    int j = NextLock(t, i);
    if (!Subset(t2[i].writes, UnionWrites(t, l, j))) return false;
    if (!Subset(t2[i].reads, UnionAccesses(t, l, j))) return false;
    if (t[i].is_lock) {
      Set accessed = i == 0 ? Set{} : UnionAccesses(t, PrevUnlock(t, i), i);
      if (!SameOutside(t[i].start, t2[i].start, accessed)) return false;
      if (ChangesUnseen(t2, t, i)) return false;
    } else if (!SameOutside(t[i].start, t2[i].start, UnionWrites(t, i, j))) {
      return false;
    }
  }
  return true;
}

bool MatchFlatA(const Items& t2, const Items& t) {
  if (t2.size() != t.size()) return false;
  int n = static_cast<int>(t.size());
  for (int i = 0; i < n; i += 2) {  // lines 3, 4, 7, 8, 10
    if (!Subset(t2[i].reads, UnionAccesses(t, i - 1, std::min(i + 2, n)))) return false;
    if (!Subset(t2[i].writes, UnionWrites(t, i - 1, std::min(i + 2, n)))) return false;
    if (!SameOutside(t2[i].start, t[i].start, UnionAccesses(t, i - 1, i))) return false;
    if (t2[i].lock != t[i].lock) return false;
    if (i == 0) continue;
    for (int x : Accesses(t[i - 1])) {
      if (!Accesses(t2[i - 1]).contains(x) && t2[i - 1].end[x] != t2[i].start[x]) return false;
    }
  }
  for (int i = 1; i < n; i += 2) {  // lines 5, 6, 9
    if (!Subset(t2[i].reads, Accesses(t[i]))) return false;
    if (!Subset(t2[i].writes, t[i].writes)) return false;
    if (!SameOutside(t2[i].end, t[i].end, t[i].writes)) return false;
  }
  return true;
}

}  // namespace

bool MatchNested(const TransitionTrace& t2, const TransitionTrace& t, Reading reading) {
  if ((!t2.terminated || t.terminated) && MatchNestedA(t2.items, t.items, reading)) return true;
  int n = static_cast<int>(std::min(t2.items.size(), t.items.size())) - 1;
  for (int i = 0; i <= n; ++i) {
    if (!t.items[i].is_lock || !MatchNestedA(Prefix(t2.items, i), Prefix(t.items, i), reading)) continue;
    if (ChangesUnseen(t2.items, t.items, i)) return true;
  }
  return false;
}

bool MatchFlat(const TransitionTrace& t2, const TransitionTrace& t) {
  if ((!t2.terminated || t.terminated) && MatchFlatA(t2.items, t.items)) return true;
  int n = static_cast<int>(std::min(t2.items.size(), t.items.size())) - 1;
  for (int i = 2; i <= n; i += 2) {
    if (!MatchFlatA(Prefix(t2.items, i), Prefix(t.items, i))) continue;
    for (int x : Accesses(t.items[i - 1])) {
      if (!Accesses(t2.items[i - 1]).contains(x) && t2.items[i - 1].end[x] != t2.items[i].start[x]) return true;
    }
  }
  return false;
}

}  // namespace heddle::refine::testing
