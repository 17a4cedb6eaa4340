// The SC axiom of RC11: psc = psc_base | psc_F has no cycle, where
//
//   scb      = sb | sb_other ; hb ; sb_other | hb_same | mo | rb         (other, same: of the location)
//   psc_base = ([SC] | [SC fence] ; hb?) ; scb ; ([SC] | hb? ; [SC fence])
//   psc_F    = [SC fence] ; (hb | hb ; eco ; hb) ; [SC fence]
//
// Events are added one at a time to a graph without such a cycle, so a new cycle goes through an edge out of the new
// event: the search begins there and asks whether it comes back.
#include "sched/c11_graph.h"

namespace heddle::sched {

bool C11Graph::NewerThan(int32_t store, int32_t other) const {
  const Event& a = events_[store];
  const Event& b = events_[other];
  bool stores = Writes(store) && (Writes(other) || b.kind == Kind::kInitial);
  // A location that began anew: what was before is not comparable.
  return stores && a.location == b.location && a.position > b.position;
}

bool C11Graph::FromRead(int32_t load, int32_t store) const {
  return events_[load].reads != 0 && load != store && NewerThan(store, events_[load].reads);
}

// rf | (mo | rb) ; rf?
bool C11Graph::Extended(int32_t x, int32_t y) const {
  int32_t from = events_[y].reads;
  if (from == x && x != 0) return true;
  if (NewerThan(y, x) || FromRead(x, y)) return true;
  return from != 0 && (NewerThan(from, x) || FromRead(x, from));
}

bool C11Graph::OtherPlace(int32_t a, int32_t b) const {
  auto placed = [this](int32_t e) { return events_[e].kind != Kind::kFence && events_[e].kind != Kind::kSync; };
  return !placed(a) || !placed(b) || events_[a].location != events_[b].location;
}

bool C11Graph::ScBefore(int32_t x, int32_t y) const {
  if (x == y) return false;
  const Event& a = events_[x];
  const Event& b = events_[y];
  if (a.thread == b.thread && a.place < b.place) return true;
  if (NewerThan(y, x) || FromRead(x, y)) return true;
  if (!Before(x, y)) return false;
  if (!OtherPlace(x, y)) return true;
  int32_t from = a.following;
  while (from != 0 && !OtherPlace(x, from)) from = events_[from].following;
  int32_t to = b.previous;
  while (to != 0 && !OtherPlace(to, y)) to = events_[to].previous;
  return from != 0 && to != 0 && Before(from, to);
}

void C11Graph::Reach(int32_t node) {
  if (reached_[node]) return;
  reached_[node] = true;
  queue_[queued_++] = node;
}

// Behind scb (`base`) or eco comes `y`: which nodes of psc are those?
void C11Graph::ReachFrom(int32_t y, bool base) {
  if (base && IsSc(y)) Reach(y);
  for (uint32_t i = 1; i <= count_; ++i) {
    auto fence = static_cast<int32_t>(i);
    if (IsScFence(fence) && Before(y, fence)) Reach(fence);
  }
}

// The edges of psc that lead on from x by scb, or by eco.
void C11Graph::StepFrom(int32_t x, bool base) {
  for (uint32_t i = 1; i <= count_; ++i) {
    auto y = static_cast<int32_t>(i);
    if (events_[y].kind == Kind::kInitial || y == x) continue;
    if (base ? ScBefore(x, y) : Extended(x, y)) ReachFrom(y, base);
  }
}

// Follows psc from what is queued until `stop(node)`.
template <typename Stop>
bool C11Graph::ReachesBack(Stop stop) {
  for (uint32_t at = 0; at < queued_; ++at) {
    int32_t node = queue_[at];
    if (stop(node)) return true;
    StepFrom(node, true);
    if (!IsScFence(node)) continue;
    for (uint32_t i = 1; i <= count_; ++i) {
      auto x = static_cast<int32_t>(i);
      if (!Before(node, x)) continue;
      StepFrom(x, true);
      StepFrom(x, false);
      if (IsScFence(x)) Reach(x);
    }
  }
  return false;
}

void C11Graph::BeginSearch() {
  for (uint32_t i = 0; i <= count_; ++i) reached_[i] = false;
  queued_ = 0;
}

bool C11Graph::Cyclic(int32_t added) {
  auto from_fence = [this, added](int32_t node) { return IsScFence(node) && Before(node, added); };
  BeginSearch();
  StepFrom(added, true);
  if (ReachesBack([&](int32_t node) { return (node == added && IsSc(added)) || from_fence(node); })) return true;
  BeginSearch();
  StepFrom(added, false);
  return ReachesBack(from_fence);
}

}  // namespace heddle::sched
