// Inclusion-based points-to analysis (Andersen) by waves (Pereira and Berlin, CGO 2009; the solver of points_to.h).
//
// A node has a set of locations and copy edges to the nodes whose sets include its own. One wave:
//   1. components of the copy edges become one node each (Tarjan), and the rest is sorted topologically;
//   2. what is new in each set is passed along the edges, in that order, once;
//   3. nodes with nearly everything in their set are merged into one (JoinLarge);
//   4. loads, stores, offsets, copies of memory and indirect calls are applied to what is new, which adds edges.
// It ends when a wave changes nothing. Work is counted, not timed: when the budget is used up, all nodes become one
// (solver_coarse.cpp), so the same program always gets the same answer.
//
// Invariant: sets only grow, and every merge and every budget makes them supersets of the exact answer.
// Test: pointers_test.cpp (what runs of random programs do is in the sets, exact and coarse).
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {

PointsTo::NodeId PointsTo::NewNode() {
  if (all_ != kNoNode) return all_;
  auto id = static_cast<NodeId>(nodes_.size());
  nodes_.emplace_back();
  nodes_.back().parent = id;
  return id;
}

PointsTo::NodeId PointsTo::Find(NodeId node) const {
  while (nodes_[node].parent != node) node = nodes_[node].parent;
  return node;
}

PointsTo::Complex& PointsTo::ComplexOf(NodeId node) {
  Node& of = nodes_[Find(node)];
  if (of.complex == nullptr) of.complex = std::make_unique<Complex>();
  ++stats_.constraints;
  of.applied.clear();  // a new constraint has seen nothing yet
  return *of.complex;
}

void PointsTo::AddLoc(NodeId node, LocId loc) {
  if (loc == kNoLoc) return;
  if (nodes_[Find(node)].set.test_and_set(loc)) changed_ = true;
}

void PointsTo::AddCopy(NodeId from, NodeId to) {
  from = Find(from);
  to = Find(to);
  ++stats_.work;
  if (from == to || !nodes_[from].successors.test_and_set(to)) return;
  ++stats_.constraints;
  bool grown = nodes_[to].set |= nodes_[from].set;
  changed_ = changed_ || grown;
}

void PointsTo::Merge(NodeId a, NodeId b) {
  a = Find(a);
  b = Find(b);
  if (a == b) return;
  ++stats_.collapsed;
  Node& into = nodes_[a];
  Node& from = nodes_[b];
  from.parent = a;
  into.set |= from.set;
  into.successors |= from.successors;
  into.propagated.clear();
  into.applied.clear();
  if (from.complex != nullptr) {
    if (into.complex == nullptr) into.complex = std::make_unique<Complex>();
    auto append = [](auto& to, auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    append(into.complex->loads, from.complex->loads);
    append(into.complex->stores, from.complex->stores);
    append(into.complex->offsets, from.complex->offsets);
    append(into.complex->calls, from.complex->calls);
    append(into.complex->callbacks, from.complex->callbacks);
    append(into.complex->copies, from.complex->copies);
    append(into.complex->receivers, from.complex->receivers);
    append(into.complex->received, from.complex->received);
    from.complex.reset();
  }
  from.set.clear();
  from.propagated.clear();
  from.applied.clear();
  from.successors.clear();
  changed_ = true;
}

// Tarjan's components of the copy edges, without recursion; merges each and leaves the topological order.
void PointsTo::Collapse() {
  constexpr uint32_t kUnseen = 0;
  auto count = static_cast<NodeId>(nodes_.size());
  std::vector<uint32_t> index(count, kUnseen), low(count, 0);
  std::vector<bool> on_stack(count, false);
  std::vector<NodeId> stack;
  struct Visit {
    NodeId node;
    std::vector<NodeId> successors;
    size_t next;
  };
  std::vector<Visit> visits;
  uint32_t counter = 0;
  order_.clear();
  auto enter = [&](NodeId node) {
    index[node] = low[node] = ++counter;
    stack.push_back(node);
    on_stack[node] = true;
    std::vector<NodeId> successors;
    for (unsigned to : nodes_[node].successors) successors.push_back(Find(to));
    stats_.work += 1 + successors.size() / 4;
    visits.push_back({node, std::move(successors), 0});
  };
  std::vector<std::vector<NodeId>> components;
  for (NodeId start = 0; start < count; ++start) {
    if (nodes_[start].parent != start || index[start] != kUnseen) continue;
    enter(start);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      if (visit.next < visit.successors.size()) {
        NodeId to = visit.successors[visit.next++];
        if (index[to] == kUnseen)
          enter(to);
        else if (on_stack[to])
          low[visit.node] = std::min(low[visit.node], index[to]);
        continue;
      }
      NodeId node = visit.node;
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      if (low[node] != index[node]) continue;
      std::vector<NodeId> component;
      NodeId member = 0;
      do {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = false;
        component.push_back(member);
      } while (member != node);
      order_.push_back(node);
      if (component.size() > 1) components.push_back(std::move(component));
    }
  }
  for (const auto& component : components) {
    for (size_t i = 1; i < component.size(); ++i) Merge(component[0], component[i]);
  }
  std::reverse(order_.begin(), order_.end());
}

void PointsTo::Propagate() {
  for (NodeId id : order_) {
    NodeId node = Find(id);
    if (nodes_[node].propagated == nodes_[node].set) continue;
    llvm::SparseBitVector<> fresh = nodes_[node].set;
    fresh.intersectWithComplement(nodes_[node].propagated);
    nodes_[node].propagated = nodes_[node].set;
    const uint64_t cost = 1 + fresh.count() / 16;
    for (unsigned successor : nodes_[node].successors) {
      NodeId to = Find(successor);
      if (to == node) continue;
      stats_.work += cost;
      bool grown = nodes_[to].set |= fresh;
      changed_ = changed_ || grown;
    }
  }
}

bool PointsTo::ApplyTo(NodeId id) {
  NodeId node = Find(id);
  if (nodes_[node].complex == nullptr || nodes_[node].applied == nodes_[node].set) return false;
  llvm::SparseBitVector<> fresh = nodes_[node].set;
  fresh.intersectWithComplement(nodes_[node].applied);
  nodes_[node].applied = nodes_[node].set;
  if (!nodes_[node].complex->receivers.empty() && nodes_[node].set.count() > kMaxReceived) ForgetReceivers(node);
  Complex work = *nodes_[node].complex;  // a copy: applying may merge nodes
  bool large = large_ != kNoNode && Find(large_) == node;
  bool outside = outside_ != kNoNode && Find(outside_) == node;
  const uint64_t cost = 1 + work.offsets.size() + work.loads.size() + work.stores.size() + work.calls.size() +
                        work.receivers.size() + work.received.size();
  for (unsigned loc : fresh) {
    stats_.work += cost;
    if (Spent()) return true;
    if (large && locations_.Widen(loc) != loc) continue;  // the whole is there too
    for (const Offset& offset : work.offsets) {
      if (!types_.Allows(locations_.object_of(loc).layout, locations_.loc(loc), offset.expected)) continue;
      LocId moved = locations_.Shift(loc, offset.bytes);
      if (moved != kNoLoc && offset.stride != 0) moved = locations_.Spread(moved, offset.stride, offset.forward);
      AddLoc(offset.to, moved);
    }
    if (!work.loads.empty() || !work.stores.empty()) {
      for (const Load& load : work.loads) LoadFrom(loc, load);
      for (const Store& store : work.stores) StoreTo(loc, store);
    }
    for (const Receiver& receiver : work.receivers) ApplyReceiver(loc, receiver);
    if (outside) Escape(loc);
    const Object& object = locations_.object_of(loc);
    if (object.kind == ObjectKind::kExternal && !object.harmless) {
      for (const llvm::CallBase* call : work.calls) CallOutside(*call, loc);
      for (const Callback& callback : work.callbacks) {
        if (Find(callback.argument) != Find(Outside())) AddCopy(callback.argument, Outside());
      }
    }
    if (object.kind != ObjectKind::kFunction) continue;
    auto* function = const_cast<llvm::Function*>(llvm::cast<llvm::Function>(object.site));
    for (const llvm::CallBase* call : work.calls) ConnectCall(*call, *function);
    for (const Callback& callback : work.callbacks) ConnectCallback(callback, *function);
    for (const Received& received : work.received) Receive(received, *function);
  }
  for (const CopyFrom& copy : work.copies) {
    if (Spent()) return true;
    ApplyCopies(Find(node), copy);
  }
  return true;
}

bool PointsTo::ApplyComplex() {
  bool any = false;
  for (size_t node = 0; node < nodes_.size() && !Spent(); ++node) {
    if (nodes_[node].parent == node) any |= ApplyTo(static_cast<NodeId>(node));
  }
  return any;
}

// Nodes that may point nearly anywhere are taken together, and what they point to stands for whole objects: they would
// end up with nearly the same set, and each would cost as much as all. A superset of the answer without this.
void PointsTo::JoinLarge() {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].parent != node || nodes_[node].set.count() < kLarge) continue;
    if (large_ == kNoNode) large_ = node;
    large_ = Find(large_);
    if (node == large_) continue;
    Merge(large_, node);
    large_ = Find(large_);
    ++stats_.joined;
  }
  if (large_ == kNoNode) return;
  large_ = Find(large_);
  llvm::SparseBitVector<> whole;
  for (unsigned loc : nodes_[large_].set) whole.set(locations_.Widen(loc));
  bool grown = nodes_[large_].set |= whole;  // never smaller: what flows in again would be news each time
  changed_ = changed_ || grown;
  Deduplicate(nodes_[large_].complex.get());
}

void PointsTo::Deduplicate(Complex* complex) {
  if (complex == nullptr) return;
  auto unique = [](auto* list, auto key) {
    std::set<decltype(key((*list)[0]))> seen;
    std::erase_if(*list, [&](const auto& one) { return !seen.insert(key(one)).second; });
  };
  unique(&complex->loads,
         [this](const Load& load) { return std::tuple(Find(load.to), load.bytes, load.tag, load.path); });
  unique(&complex->stores,
         [this](const Store& store) { return std::tuple(Find(store.from), store.bytes, store.tag, store.path); });
  // Within whole objects every offset is the same.
  unique(&complex->offsets, [this](const Offset& offset) { return std::pair(Find(offset.to), offset.expected); });
}

void PointsTo::Solve(uint64_t budget) {
  budget_ = budget;
  do {
    changed_ = false;
    ++stats_.waves;
    Collapse();
    Propagate();
    JoinLarge();
    ApplyComplex();
    if (Spent()) {
      GiveUp();
      break;
    }
  } while (changed_);
  stats_.nodes = nodes_.size();
}

const LocSet& PointsTo::Of(const llvm::Value* value) {
  auto known = answers_.find(value);
  if (known != answers_.end()) return known->second;
  LocSet set;
  if (stats_.gave_up) {
    set = CoarseOf(value);
  } else {
    for (unsigned loc : nodes_[Find(NodeOf(value))].set) set.push_back(loc);
  }
  return answers_.emplace(value, std::move(set)).first->second;
}

}  // namespace heddle::deadlock
