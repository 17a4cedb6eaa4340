// The solver of points_to.h.
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/solver_node.h"

namespace heddle::deadlock {

PointsTo::NodeId PointsTo::NewNode() {
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
    for (unsigned successor : nodes_[node].successors) {
      NodeId to = Find(successor);
      if (to == node) continue;
      bool grown = nodes_[to].set |= fresh;
      changed_ = changed_ || grown;
    }
  }
}

std::vector<PointsTo::NodeId> PointsTo::NodesAt(LocId loc, int64_t bytes) {
  std::vector<NodeId> nodes;
  auto merge = [this](uint32_t a, uint32_t b) { Merge(a, b); };
  for (int64_t cell : locations_.Cells(loc, bytes, merge)) nodes.push_back(CellNode(loc, cell));
  return nodes;
}

PointsTo::NodeId PointsTo::CellNode(LocId loc, int64_t canonical) {
  ObjectId object = locations_.loc(loc).object;
  auto found = locations_.object(object).cells.find(canonical);
  if (found != locations_.object(object).cells.end()) return found->second;
  NodeId node = NewNode();
  locations_.object(object).cells.emplace(canonical, node);
  for (NodeId all : blurred_from_[object]) AddCopy(node, all);
  for (NodeId all : blurred_to_[object]) AddCopy(all, node);
  // Memory that was copied from this object has such a cell too.
  auto copies = copies_from_.find(object);
  if (copies != copies_from_.end()) {
    std::vector<std::pair<LocId, LocId>> pairs = copies->second;
    for (const auto& [target, source] : pairs) CopyMemory(target, source);
  }
  return node;
}

// Every cell of the source's object at or behind `source` flows to the same place relative to `target`.
void PointsTo::CopyMemory(LocId target, LocId source) {
  const Loc from = locations_.loc(source);
  std::vector<std::pair<int64_t, uint32_t>> cells(locations_.object(from.object).cells.begin(),
                                                  locations_.object(from.object).cells.end());
  for (const auto& [granule, node] : cells) {
    bool exact = from.stride == 0;
    if (exact && granule * 8 + 7 < from.offset) continue;
    LocId to = exact ? locations_.Shift(target, granule * 8 - from.offset) : target;
    if (!exact) to = locations_.Spread(target, 8, true);
    if (to == kNoLoc) continue;
    for (NodeId cell : NodesAt(to, 8)) AddCopy(node, cell);
  }
}

void PointsTo::AddMemoryCopy(NodeId target, NodeId source) {
  auto copy = static_cast<uint32_t>(memory_copies_.size());
  memory_copies_.emplace_back();
  ComplexOf(target).copies.push_back({source, true, copy});
  ComplexOf(source).copies.push_back({target, false, copy});
}

void PointsTo::BlurCopy(MemoryCopy* copy, const std::vector<LocId>& targets, const std::vector<LocId>& sources) {
  for (LocId source : sources) {
    ObjectId object = locations_.loc(source).object;
    if (!copy->from.insert(object).second) continue;
    blurred_from_[object].push_back(copy->all);
    for (const auto& [granule, node] : locations_.object(object).cells) AddCopy(node, copy->all);
  }
  for (LocId target : targets) {
    ObjectId object = locations_.loc(target).object;
    if (!copy->to.insert(object).second) continue;
    blurred_to_[object].push_back(copy->all);
    for (const auto& [granule, node] : locations_.object(object).cells) AddCopy(copy->all, node);
  }
}

void PointsTo::ApplyCopies(NodeId node, const CopyFrom& constraint) {
  constexpr size_t kMaxPairs = 64;
  std::vector<LocId> mine, others;
  for (unsigned loc : nodes_[node].set) mine.push_back(loc);
  for (unsigned loc : nodes_[Find(constraint.other)].set) others.push_back(loc);
  const std::vector<LocId>& targets = constraint.is_target ? mine : others;
  const std::vector<LocId>& sources = constraint.is_target ? others : mine;
  if (memory_copies_[constraint.copy].all == UINT32_MAX && mine.size() * others.size() > kMaxPairs) {
    NodeId all = NewNode();
    memory_copies_[constraint.copy].all = all;
  }
  if (memory_copies_[constraint.copy].all != UINT32_MAX)
    return BlurCopy(&memory_copies_[constraint.copy], targets, sources);
  for (LocId target : targets) {
    for (LocId source : sources) {
      if (!memory_copies_[constraint.copy].exact.insert({target, source}).second) continue;
      copies_from_[locations_.loc(source).object].push_back({target, source});
      CopyMemory(target, source);
    }
  }
}

bool PointsTo::ApplyTo(NodeId id) {
  NodeId node = Find(id);
  if (nodes_[node].complex == nullptr || nodes_[node].applied == nodes_[node].set) return false;
  llvm::SparseBitVector<> fresh = nodes_[node].set;
  fresh.intersectWithComplement(nodes_[node].applied);
  nodes_[node].applied = nodes_[node].set;
  Complex work = *nodes_[node].complex;  // a copy: applying may merge nodes
  for (unsigned loc : fresh) {
    for (const Offset& offset : work.offsets) {
      LocId moved = locations_.Shift(loc, offset.bytes);
      if (moved != kNoLoc && offset.stride != 0) moved = locations_.Spread(moved, offset.stride, offset.forward);
      AddLoc(offset.to, moved);
    }
    if (!work.loads.empty() || !work.stores.empty()) {
      for (const Load& load : work.loads) {
        for (NodeId cell : NodesAt(loc, load.bytes)) AddCopy(cell, load.to);
      }
      for (const Store& store : work.stores) {
        for (NodeId cell : NodesAt(loc, store.bytes)) AddCopy(store.from, cell);
      }
    }
    const Object& object = locations_.object_of(loc);
    if (object.kind != ObjectKind::kFunction) continue;
    auto* function = const_cast<llvm::Function*>(llvm::cast<llvm::Function>(object.site));
    for (const llvm::CallBase* call : work.calls) ConnectCall(*call, *function);
    for (const Callback& callback : work.callbacks) ConnectCallback(callback, *function);
  }
  for (const CopyFrom& copy : work.copies) ApplyCopies(Find(node), copy);
  return true;
}

bool PointsTo::ApplyComplex() {
  bool any = false;
  for (size_t node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].parent == node) any |= ApplyTo(static_cast<NodeId>(node));
  }
  return any;
}

void PointsTo::Solve() {
  do {
    changed_ = false;
    ++stats_.waves;
    Collapse();
    Propagate();
    ApplyComplex();
  } while (changed_);
  stats_.nodes = nodes_.size();
}

LocSet PointsTo::Of(const llvm::Value* value) {
  NodeId node = Find(NodeOf(value));
  LocSet set;
  for (unsigned loc : nodes_[node].set) set.push_back(loc);
  return set;
}

const LocSet& PointsTo::Contents(LocId loc) {
  auto known = contents_.find(loc);
  if (known != contents_.end()) return known->second;
  LocSet all;
  for (NodeId cell : NodesAt(loc, 8)) {
    NodeId node = Find(cell);
    for (unsigned held : nodes_[node].set) all.push_back(held);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return contents_.emplace(loc, std::move(all)).first->second;
}

}  // namespace heddle::deadlock
