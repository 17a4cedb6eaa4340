// Memory in the pointer analysis: cells, and memory that is copied as a whole.
#include <algorithm>

#include "deadlock/pointers/solver_node.h"

namespace heddle::deadlock {
namespace {

uint32_t* Find(std::vector<std::pair<TagId, uint32_t>>& nodes, TagId tag) {
  auto found = std::find_if(nodes.begin(), nodes.end(), [&](const auto& entry) { return entry.first == tag; });
  return found == nodes.end() ? nullptr : &found->second;
}

}  // namespace

void PointsTo::MergeCells(Cell* into, const Cell& from) {
  auto join = [this](auto& to, const auto& more) {
    for (const auto& [tag, node] : more) {
      if (uint32_t* known = deadlock::Find(to, tag))
        Merge(*known, node);
      else
        to.emplace_back(tag, node);
    }
  };
  join(into->stored, from.stored);
  join(into->seen, from.seen);
  for (const auto& [stored_as, stored] : into->stored) {
    for (const auto& [seen_as, seen] : into->seen) {
      if (tags_.Meet(stored_as, seen_as)) AddCopy(stored, seen);
    }
  }
}

std::vector<int64_t> PointsTo::CellsAt(LocId loc, int64_t bytes) {
  return locations_.Cells(loc, bytes, [this](Cell* into, const Cell& from) { MergeCells(into, from); });
}

void PointsTo::LoadFrom(LocId loc, const Load& load) {
  ObjectId object = locations_.loc(loc).object;
  if (!types_.Allows(locations_.object(object).layout, locations_.loc(loc), load.path)) return;
  // What is found in memory of external code is more of it.
  if (locations_.object(object).kind == ObjectKind::kExternal) AddLoc(load.to, locations_.At(object));
  for (int64_t granule : CellsAt(loc, load.bytes)) AddCopy(SeenNode(object, granule, load.tag), load.to);
}

void PointsTo::StoreTo(LocId loc, const Store& store) {
  ObjectId object = locations_.loc(loc).object;
  if (!types_.Allows(locations_.object(object).layout, locations_.loc(loc), store.path)) return;
  for (int64_t granule : CellsAt(loc, store.bytes)) AddCopy(store.from, StoredNode(object, granule, store.tag));
}

// What is stored in the object is also in the memory that is copied from it.
void PointsTo::FlowOn(ObjectId object, NodeId node, TagId tag) {
  if (escaped_.count(object) != 0) AddCopy(node, outside_);
  auto blurred = blurred_from_.find(object);
  if (blurred != blurred_from_.end()) {
    const std::vector<uint32_t> copies = blurred->second;
    for (uint32_t copy : copies) AddCopy(node, BlurredNode(copy, tag));
  }
  auto exact = copies_from_.find(object);
  if (exact != copies_from_.end()) {
    const std::vector<ExactCopy> copies = exact->second;
    for (const ExactCopy& copy : copies) CopyMemory(copy);
  }
}

PointsTo::NodeId PointsTo::StoredNode(ObjectId object, int64_t granule, TagId tag) {
  Cell& cell = locations_.object(object).cells[granule];
  if (uint32_t* known = deadlock::Find(cell.stored, tag)) return *known;
  NodeId node = NewNode();
  cell.stored.emplace_back(tag, node);
  for (const auto& [seen_as, seen] : cell.seen) {
    if (tags_.Meet(tag, seen_as)) AddCopy(node, seen);
  }
  FlowOn(object, node, tag);
  return node;
}

PointsTo::NodeId PointsTo::SeenNode(ObjectId object, int64_t granule, TagId tag) {
  Object& of = locations_.object(object);
  Cell& cell = of.cells[granule];
  if (uint32_t* known = deadlock::Find(cell.seen, tag)) return *known;
  NodeId node = NewNode();
  cell.seen.emplace_back(tag, node);
  for (const auto* stored : {&cell.stored, &of.anywhere.stored}) {
    for (const auto& [stored_as, from] : *stored) {
      if (tags_.Meet(stored_as, tag)) AddCopy(from, node);
    }
  }
  return node;
}

PointsTo::NodeId PointsTo::AnywhereNode(ObjectId object, TagId tag) {
  Object& of = locations_.object(object);
  if (uint32_t* known = deadlock::Find(of.anywhere.stored, tag)) return *known;
  NodeId node = NewNode();
  of.anywhere.stored.emplace_back(tag, node);
  for (const auto& [granule, cell] : of.cells) {
    for (const auto& [seen_as, seen] : cell.seen) {
      if (tags_.Meet(tag, seen_as)) AddCopy(node, seen);
    }
  }
  FlowOn(object, node, tag);
  return node;
}

// Every cell in the bytes at `source` flows to the same place relative to `target`.
void PointsTo::CopyMemory(const ExactCopy& copy) {
  if (Spent()) return;  // GiveUp comes next
  const Loc from = locations_.loc(copy.source);
  ObjectId target_object = locations_.loc(copy.target).object;
  const Object& origin = locations_.object(from.object);
  const std::vector<std::pair<int64_t, Cell>> cells(origin.cells.begin(), origin.cells.end());
  const std::vector<std::pair<TagId, uint32_t>> anywhere = origin.anywhere.stored;
  for (const auto& [tag, node] : anywhere) AddCopy(node, AnywhereNode(target_object, tag));
  stats_.work += 1 + cells.size();
  for (const auto& [granule, cell] : cells) {
    if (cell.stored.empty()) continue;
    bool exact = from.stride == 0;
    // A cell of a folded region stands for later ones as well.
    bool folded = !locations_.object(from.object).regions.empty();
    if (exact && (granule * 8 + 7 < from.offset || (!folded && granule * 8 - from.offset >= copy.bytes))) continue;
    LocId to =
        exact ? locations_.Shift(copy.target, granule * 8 - from.offset) : locations_.Spread(copy.target, 8, true);
    if (to == kNoLoc) continue;
    for (const auto& [tag, node] : cell.stored) StoreTo(to, {node, 8, tag});
  }
}

void PointsTo::AddMemoryCopy(NodeId target, NodeId source, int64_t bytes) {
  if (bytes < 8) return;  // no address fits
  auto copy = static_cast<uint32_t>(memory_copies_.size());
  memory_copies_.emplace_back();
  memory_copies_.back().bytes = bytes;
  ComplexOf(target).copies.push_back({source, true, copy});
  ComplexOf(source).copies.push_back({target, false, copy});
}

PointsTo::NodeId PointsTo::BlurredNode(uint32_t copy, TagId tag) {
  auto [place, fresh] = memory_copies_[copy].all.emplace(tag, 0);
  if (!fresh) return place->second;
  NodeId node = NewNode();
  place->second = node;
  const std::set<ObjectId> targets = memory_copies_[copy].to;
  for (ObjectId object : targets) AddCopy(node, AnywhereNode(object, tag));
  return node;
}

void PointsTo::BlurCopy(uint32_t copy, const std::vector<LocId>& targets, const std::vector<LocId>& sources) {
  for (LocId target : targets) {
    ObjectId object = locations_.loc(target).object;
    if (!memory_copies_[copy].to.insert(object).second) continue;
    const std::map<TagId, NodeId> all = memory_copies_[copy].all;
    for (const auto& [tag, node] : all) AddCopy(node, AnywhereNode(object, tag));
  }
  for (LocId source : sources) {
    ObjectId object = locations_.loc(source).object;
    if (!memory_copies_[copy].from.insert(object).second) continue;
    blurred_from_[object].push_back(copy);
    std::vector<std::pair<TagId, uint32_t>> stored = locations_.object(object).anywhere.stored;
    for (const auto& [granule, cell] : locations_.object(object).cells) {
      stored.insert(stored.end(), cell.stored.begin(), cell.stored.end());
    }
    for (const auto& [tag, node] : stored) AddCopy(node, BlurredNode(copy, tag));
  }
}

void PointsTo::ApplyCopies(NodeId node, const CopyFrom& constraint) {
  constexpr size_t kMaxPairs = 64;
  std::vector<LocId> mine, others;
  for (unsigned loc : nodes_[node].set) mine.push_back(loc);
  for (unsigned loc : nodes_[Find(constraint.other)].set) others.push_back(loc);
  const std::vector<LocId>& targets = constraint.is_target ? mine : others;
  const std::vector<LocId>& sources = constraint.is_target ? others : mine;
  stats_.work += mine.size() + others.size();
  if (mine.size() * others.size() > kMaxPairs) memory_copies_[constraint.copy].blurred = true;
  if (memory_copies_[constraint.copy].blurred) return BlurCopy(constraint.copy, targets, sources);
  for (LocId target : targets) {
    for (LocId source : sources) {
      if (!memory_copies_[constraint.copy].exact.insert({target, source}).second) continue;
      const ExactCopy copy{target, source, memory_copies_[constraint.copy].bytes};
      copies_from_[locations_.loc(source).object].push_back(copy);
      CopyMemory(copy);
    }
  }
}

bool PointsTo::CanAccess(LocId loc, const llvm::Instruction& access) {
  return types_.Allows(locations_.object_of(loc).layout, locations_.loc(loc), types_.PathOf(access));
}

LocSet PointsTo::Behind(const LocSet& addresses) {
  if (stats_.gave_up && !addresses.empty()) return everything_;
  auto [place, fresh] = behind_.try_emplace(addresses);
  if (!fresh) return place->second;
  llvm::SparseBitVector<> behind;
  for (LocId loc : addresses) {
    for (LocId held : Contents(loc)) behind.set(held);
  }
  for (unsigned loc : behind) place->second.push_back(loc);
  return place->second;
}

LocSet PointsTo::ContentsOf(ObjectId id) {
  if (stats_.gave_up) return everything_;
  const Object& object = locations_.object(id);
  LocSet all;
  auto add = [&](const Cell& cell) {
    for (const auto& [stored_as, node] : cell.stored) {
      for (unsigned held : nodes_[Find(node)].set) all.push_back(held);
    }
  };
  for (const auto& [granule, cell] : object.cells) add(cell);
  add(object.anywhere);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::pair<int64_t, LocSet>> PointsTo::Cells(ObjectId id) {
  if (stats_.gave_up) return {{-1, everything_}};
  std::vector<std::pair<int64_t, LocSet>> all;
  auto add = [&](int64_t granule, const Cell& cell) {
    llvm::SparseBitVector<> held;
    for (const auto& [stored_as, node] : cell.stored) held |= nodes_[Find(node)].set;
    if (held.empty()) return;
    all.emplace_back(granule, LocSet());
    for (unsigned loc : held) all.back().second.push_back(loc);
  };
  for (const auto& [granule, cell] : locations_.object(id).cells) add(granule, cell);
  add(-1, locations_.object(id).anywhere);
  return all;
}

const LocSet& PointsTo::Contents(LocId loc, TagId tag) {
  if (stats_.gave_up) return everything_;
  uint64_t key = (uint64_t{loc} << 32) | tag;
  auto known = contents_.find(key);
  if (known != contents_.end()) return known->second;
  LocSet all;
  auto add = [&](const Cell& cell) {
    for (const auto& [stored_as, node] : cell.stored) {
      if (!tags_.Meet(stored_as, tag)) continue;
      for (unsigned held : nodes_[Find(node)].set) all.push_back(held);
    }
  };
  std::vector<int64_t> granules = CellsAt(loc, 8);
  const Object& object = locations_.object_of(loc);
  for (int64_t granule : granules) {
    auto found = object.cells.find(granule);
    if (found != object.cells.end()) add(found->second);
  }
  add(object.anywhere);
  if (object.kind == ObjectKind::kExternal) all.push_back(locations_.At(locations_.loc(loc).object));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return contents_.emplace(key, std::move(all)).first->second;
}

}  // namespace heddle::deadlock
