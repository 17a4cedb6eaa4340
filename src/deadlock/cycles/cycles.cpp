// Cycles of the lock graph (Lock Correctness, 4.5 and 4.6): which of them threads can really be in together.
//
// Components first (Tarjan): a cycle lies in one. In a component, simple cycles of held locks are walked depth first,
// each from its smallest member. For each, one edge for every pair of neighbours is chosen such that each edge follows
// the one before, and all of them can be waiting at the same time: different threads that may run in parallel, no lock
// that two surely hold, not all in one order of addresses. The first choice that fits is reported.
//
// Steps, checks, choices and findings of a component are limited. At a limit the component is reported as a whole
// (kGroup), so nothing is lost. Self-deadlocks and threads that end with a lock held need no cycle and are found apart.
// Tests: deadlock_test.cpp, tests/deadlock/run.py, tests/deadlock/random (all schedules of random programs).
#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <functional>

#include "deadlock/cycles/lock_graph.h"

namespace heddle::deadlock {
namespace {

constexpr size_t kMaxSteps = 200000;   // of the search in one component
constexpr size_t kMaxChoices = 20000;  // of edges for one cycle of locks
constexpr size_t kMaxPerComponent = 200;
constexpr size_t kMaxChecks = 4'000'000;  // of pairs of edges and threads, in one component

}  // namespace

// Edges that want what they may hold.
void LockGraph::FindSelf() {
  for (const auto& [ends, edges] : between_) {
    if (ends.first != ends.second) continue;
    const Edge *self = nullptr, *signal = nullptr, *loose = nullptr;
    size_t count = 0;
    bool ascending = false, descending = false;
    for (const Edge* edge : edges) {
      if (!Follows(*edge, *edge) || edge->origins.empty()) continue;
      LockKinds kinds = locksets_.facts().Kinds(edge->want);
      bool one = edge->same_symbol || (edge->held == edge->want && locksets_.facts().Single(edge->want));
      if (edge->holder != kNoContext) {
        if (signal == nullptr || (one && !signal->same_symbol)) signal = edge;
        continue;
      }
      if (one && !kinds.normal && kinds.errorcheck) continue;  // returns an error instead of waiting
      bool recursive =
          locksets_.transfer().Recursive(edge->want) || locksets_.facts().RecursiveOperation(*edge->wait->call);
      if (recursive && one) continue;
      ++count;
      if (one) {
        if (self == nullptr || (edge->surely_held && !self->surely_held)) self = edge;
      } else if (edge->ordered == 0) {
        if (loose == nullptr) loose = edge;
      } else {
        (edge->ordered > 0 ? ascending : descending) = true;
        if (ascending && descending && loose == nullptr) loose = edge;
      }
    }
    auto add = [&](CycleKind kind, const Edge* edge) {
      if (edge == nullptr) return;
      Cycle cycle;
      cycle.kind = kind;
      cycle.edges = {edge};
      cycle.threads = {*edge->origins.begin()};
      cycle.others = count == 0 ? 0 : count - 1;
      cycles_.push_back(std::move(cycle));
    };
    add(CycleKind::kSelf, self);
    add(CycleKind::kSignal, signal);
    add(CycleKind::kSameClass, loose);
  }
}

void LockGraph::FindLeaks() {
  std::set<std::pair<const llvm::Instruction*, LocId>> reported;
  for (const ThreadEnd& end : locksets_.ends()) {
    for (OriginId who : locksets_.OriginsOf(end.context)) {
      bool by_call = llvm::isa<llvm::CallBase>(end.at);
      if (locksets_.origins()[who].create == nullptr && !by_call) continue;
      for (const MayLock& held : locksets_.states()[end.state].held) {
        if (locksets_.transfer().IsThread(held.loc) || reported.count({end.at, held.loc}) != 0) continue;
        Cycle cycle;
        for (const Wait& wait : locksets_.waits()) {
          bool waits = std::any_of(wait.locks.begin(), wait.locks.end(),
                                   [&](LocId l) { return locations_.Overlap(l, held.loc); });
          if (!waits || wait.kind == WaitKind::kJoin || wait.kind == WaitKind::kTry ||
              (wait.mode == Mode::kRead && held.mode == Mode::kRead))
            continue;
          for (OriginId other : locksets_.OriginsOf(wait.context)) {
            // The same origin again, later or beside it.
            const llvm::CallBase* create = locksets_.origins()[who].create;
            bool again = other == who && create != nullptr &&
                         (locksets_.Parallel(who, who) || !locksets_.facts().HappensOnce(*create));
            if (cycle.wait != nullptr || (other == who && !again)) continue;
            cycle.wait = &wait;
            cycle.threads = {who, other};
          }
        }
        if (cycle.wait == nullptr) continue;
        reported.insert({end.at, held.loc});
        cycle.kind = CycleKind::kLeak;
        cycle.end = &end;
        cycle.leaked = held;
        cycles_.push_back(std::move(cycle));
      }
    }
  }
}

// Edges for the cycle of held locks, such that all of them can be waiting at the same time.
bool LockGraph::Choose(const std::vector<LocId>& path, std::vector<const Edge*>* chosen, std::vector<OriginId>* threads,
                       size_t* budget) {
  size_t depth = chosen->size();
  if (depth == path.size()) {
    if (!Follows(*chosen->back(), *chosen->front())) return false;
    // All ascending, or all descending by address: no cycle.
    int order = chosen->front()->ordered;
    if (order != 0 && std::all_of(chosen->begin(), chosen->end(), [&](const Edge* e) { return e->ordered == order; }))
      return false;
    threads->assign(depth, 0);
    for (size_t i = 0; i < depth; ++i) {
      std::pair<OriginId, OriginId> pair;
      Compatible(*(*chosen)[i], *(*chosen)[(i + 1) % depth], &pair);
      (*threads)[i] = pair.first;
      if (i == 0) (*threads)[1] = pair.second;
    }
    return true;
  }
  for (const Edge* edge : between_[{path[depth], path[(depth + 1) % path.size()]}]) {
    if (*budget == 0) return false;
    --*budget;
    if (stats_.checks > check_limit_) *budget = 0;  // this one is looked at, no more
    if (depth > 0 && !Follows(*chosen->back(), *edge)) continue;
    std::pair<OriginId, OriginId> ignored;
    bool fits = std::all_of(chosen->begin(), chosen->end(),
                            [&](const Edge* other) { return Compatible(*other, *edge, &ignored); });
    if (!fits) continue;
    chosen->push_back(edge);
    if (Choose(path, chosen, threads, budget)) return true;
    chosen->pop_back();
  }
  return false;
}

void LockGraph::Search(const std::vector<LocId>& component) {
  std::set<LocId> members(component.begin(), component.end());
  check_limit_ = stats_.checks + kMaxChecks;
  size_t steps = kMaxSteps, found = 0;
  bool cut = false;
  std::vector<LocId> path;
  std::set<LocId> on_path;
  std::function<void(LocId, LocId)> visit = [&](LocId start, LocId at) {
    if (steps == 0 || stats_.checks > check_limit_ || found >= kMaxPerComponent) {
      cut = true;
      return;
    }
    --steps;
    path.push_back(at);
    on_path.insert(at);
    for (LocId to : next_[at]) {
      if (to == start && path.size() > 1) {
        Cycle cycle;
        size_t budget = kMaxChoices;
        std::vector<const Edge*> chosen;
        bool feasible = Choose(path, &chosen, &cycle.threads, &budget);
        if (!feasible && budget == 0) cut = true;
        if (!feasible) continue;
        cycle.edges = std::move(chosen);
        for (size_t i = 0; i < path.size(); ++i)
          cycle.others += between_[{path[i], path[(i + 1) % path.size()]}].size() - 1;
        cycles_.push_back(std::move(cycle));
        ++found;
      } else if (to > start && members.count(to) != 0 && on_path.count(to) == 0) {
        visit(start, to);
      }
    }
    on_path.erase(at);
    path.pop_back();
  };
  for (LocId start : component) visit(start, start);
  if (!cut) return;
  stats_.complete = false;
  Cycle group;
  group.kind = CycleKind::kGroup;
  for (LocId a : component) {
    for (LocId b : next_[a]) {
      if (members.count(b) == 0 || group.edges.size() >= 12) continue;
      group.edges.push_back(between_[{a, b}].front());
      group.threads.push_back(*between_[{a, b}].front()->origins.begin());
    }
  }
  cycles_.push_back(std::move(group));
}

void LockGraph::FindCycles() {
  // Tarjan's components; the graph of locks is small, so recursion is fine.
  std::map<LocId, size_t> index, low;
  std::vector<LocId> stack;
  std::set<LocId> on_stack;
  size_t counter = 0;
  std::vector<std::vector<LocId>> components;
  std::function<void(LocId)> visit = [&](LocId at) {
    index[at] = low[at] = ++counter;
    stack.push_back(at);
    on_stack.insert(at);
    for (LocId to : next_[at]) {
      if (index.count(to) == 0) {
        visit(to);
        low[at] = std::min(low[at], low[to]);
      } else if (on_stack.count(to) != 0) {
        low[at] = std::min(low[at], index[to]);
      }
    }
    if (low[at] != index[at]) return;
    std::vector<LocId> component;
    while (true) {
      LocId member = stack.back();
      stack.pop_back();
      on_stack.erase(member);
      component.push_back(member);
      if (member == at) break;
    }
    std::sort(component.begin(), component.end());
    if (component.size() > 1) components.push_back(std::move(component));
  };
  std::vector<LocId> starts;
  for (const auto& [from, to] : next_) starts.push_back(from);
  for (LocId start : starts) {
    if (index.count(start) == 0) visit(start);
  }
  stats_.components = components.size();
  for (const auto& component : components) Search(component);
}

int LockGraph::Rank(const Cycle& cycle) const {
  int rank = cycle.kind == CycleKind::kSameClass ? 4 : cycle.kind == CycleKind::kGroup ? 6 : 0;
  for (const Edge* edge : cycle.edges) {
    for (LocId loc : {edge->held, edge->want}) {
      if (locksets_.transfer().IsThread(loc)) continue;
      if (!locksets_.facts().Single(loc)) rank += 1;
    }
    if (locksets_.unresolved().count(edge->wait->call) != 0) rank += 3;
    if (edge->held_site != nullptr && locksets_.unresolved().count(edge->held_site) != 0) rank += 3;
    if (locksets_.contexts()[edge->wait->context].merged) rank += 2;
    if (!edge->surely_held) rank += 1;
  }
  return rank;
}

}  // namespace heddle::deadlock
