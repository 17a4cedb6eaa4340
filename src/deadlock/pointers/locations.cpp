#include "deadlock/pointers/locations.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace heddle::deadlock {
namespace {

// More locations than this in one object, and new offsets stand for the whole of it.
constexpr uint32_t kMaxLocations = 48;
constexpr uint32_t kMaxLocationsTyped = 256;

struct ArrayAt {
  int64_t begin, end, element;
};

// The arrays of `type` around `offset`, outermost first.
void Enclosing(const llvm::DataLayout& layout, llvm::Type* type, int64_t base, int64_t offset,
               std::vector<ArrayAt>* arrays) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    auto element = static_cast<int64_t>(layout.getTypeAllocSize(array->getElementType()));
    auto end = base + element * static_cast<int64_t>(array->getNumElements());
    if (element == 0 || offset < base || offset > end) return;
    arrays->push_back({base, end, element});
    int64_t index = std::min<int64_t>((offset - base) / element, static_cast<int64_t>(array->getNumElements()) - 1);
    Enclosing(layout, array->getElementType(), base + std::max<int64_t>(index, 0) * element, offset, arrays);
  } else if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* fields = layout.getStructLayout(record);
    if (record->getNumElements() == 0 || offset < base ||
        static_cast<uint64_t>(offset - base) >= fields->getSizeInBytes())
      return;
    unsigned field = fields->getElementContainingOffset(static_cast<uint64_t>(offset - base));
    Enclosing(layout, record->getElementType(field), base + static_cast<int64_t>(fields->getElementOffset(field)),
              offset, arrays);
  }
}

// The array that an index with this stride runs through: the innermost one whose elements have that size.
std::optional<ArrayAt> Indexed(const std::vector<ArrayAt>& arrays, int64_t stride) {
  for (size_t i = arrays.size(); i-- > 0;) {
    if (arrays[i].element == stride) return arrays[i];
  }
  for (size_t i = arrays.size(); i-- > 0;) {
    if (stride % arrays[i].element == 0) return arrays[i];
  }
  if (arrays.empty()) return std::nullopt;
  return arrays.front();
}

}  // namespace

size_t Locations::LocHash::operator()(const Loc& loc) const {
  uint64_t hash = loc.object * 0x9e3779b97f4a7c15u;
  hash = (hash ^ static_cast<uint64_t>(loc.offset)) * 0xff51afd7ed558ccdu;
  hash = (hash ^ static_cast<uint64_t>(loc.stride) ^ (static_cast<uint64_t>(loc.end) << 20)) * 0xc4ceb9fe1a85ec53u;
  return hash ^ (hash >> 29);
}

ObjectId Locations::Add(Object object) {
  objects_.push_back(std::move(object));
  return static_cast<ObjectId>(objects_.size() - 1);
}

int64_t Locations::End(ObjectId object) const {
  int64_t size = objects_[object].size;
  return size == 0 ? kUnbounded : size;
}

LocId Locations::Intern(const Loc& loc) {
  auto found = index_.find(loc);
  if (found != index_.end()) return found->second;
  Object& object = objects_[loc.object];
  if (object.only_whole || object.locations >= (object.type == nullptr ? kMaxLocations : kMaxLocationsTyped))
    return Whole(loc.object);
  ++object.locations;
  locs_.push_back(loc);
  auto id = static_cast<LocId>(locs_.size() - 1);
  index_.emplace(loc, id);
  return id;
}

LocId Locations::Whole(ObjectId object) {
  Loc whole{object, 0, 1, End(object)};
  auto found = index_.find(whole);
  if (found != index_.end()) return found->second;
  locs_.push_back(whole);
  auto id = static_cast<LocId>(locs_.size() - 1);
  index_.emplace(whole, id);
  return id;
}

LocId Locations::Widen(LocId id) {
  ObjectId object = locs_[id].object;
  ObjectKind kind = objects_[object].kind;
  if (kind == ObjectKind::kFunction || kind == ObjectKind::kThread) return id;
  objects_[object].only_whole = true;
  return Whole(object);
}

LocId Locations::Shift(LocId id, int64_t bytes) {
  if (bytes == 0) return id;
  bytes = std::clamp(bytes, -kUnbounded, kUnbounded);  // further than any object reaches, and no overflow
  Loc loc = locs_[id];
  if (objects_[loc.object].kind == ObjectKind::kFunction || objects_[loc.object].kind == ObjectKind::kThread) return id;
  if (loc.stride == 1 && loc.offset == 0) return id;
  loc.offset += bytes;
  if (loc.stride == 0) {
    if (loc.offset < 0 || loc.offset > End(loc.object)) return kNoLoc;
    return Intern(loc);
  }
  // A progression that moves back below the start loses its first members.
  if (loc.offset < 0) loc.offset = ((loc.offset % loc.stride) + loc.stride) % loc.stride;
  loc.end = std::min(End(loc.object), loc.end >= kUnbounded ? loc.end : loc.end + bytes);
  if (loc.offset > End(loc.object) || loc.end <= 0) return kNoLoc;
  return Intern(loc);
}

LocId Locations::Spread(LocId id, int64_t stride, bool forward) {
  Loc loc = locs_[id];
  const Object& object = objects_[loc.object];
  if (object.kind == ObjectKind::kFunction || object.kind == ObjectKind::kThread) return id;
  stride = std::abs(stride);
  if (stride == 0) return id;
  int64_t begin = 0, end = End(loc.object);
  if (object.type != nullptr) {
    std::vector<ArrayAt> arrays;
    Enclosing(layout_, object.type, 0, loc.offset, &arrays);
    if (std::optional<ArrayAt> array = Indexed(arrays, stride)) {
      begin = array->begin;
      end = array->end;
    }
  }
  int64_t step = loc.stride == 0 ? stride : std::gcd(stride, loc.stride);
  Loc spread{loc.object, loc.offset, step, loc.stride == 0 ? end : std::max(end, loc.end)};
  if (!forward) spread.offset = begin + (loc.offset - begin) % step;
  if (spread.offset < 0) spread.offset += step;
  return Intern(spread);
}

LocId Locations::OneOf(const std::vector<LocId>& set) {
  auto found = sets_.find(set);
  if (found == sets_.end()) found = sets_.emplace(set, NewOneOf(set)).first;
  return found->second;
}

LocId Locations::NewOneOf(const std::vector<LocId>& set) {
  Object object;
  object.kind = ObjectKind::kExternal;
  object.members = set;
  return At(Add(std::move(object)));
}

bool Locations::MembersOverlap(LocId a, LocId b) const {
  const std::vector<LocId> alone = {a}, other_alone = {b};
  const std::vector<LocId>& first = object_of(a).members.empty() ? alone : object_of(a).members;
  const std::vector<LocId>& second = object_of(b).members.empty() ? other_alone : object_of(b).members;
  std::unordered_map<ObjectId, std::vector<LocId>> by_object;
  for (LocId one : first) by_object[locs_[one].object].push_back(one);
  return std::any_of(second.begin(), second.end(), [&](LocId other) {
    auto found = by_object.find(locs_[other].object);
    return found != by_object.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](LocId one) { return Overlap(one, other); });
  });
}

bool Locations::Overlap(LocId a, LocId b) const {
  if (a == b) return true;
  if (!object_of(a).members.empty() || !object_of(b).members.empty()) {
    if (a > b) std::swap(a, b);
    auto [place, fresh] = overlaps_.emplace((uint64_t{a} << 32) | b, false);
    if (fresh) place->second = MembersOverlap(a, b);
    return place->second;
  }
  const Loc* x = &locs_[a];
  const Loc* y = &locs_[b];
  if (x->object != y->object) return false;
  if (x->stride == 0 && y->stride == 0) return x->offset == y->offset;
  if (x->stride == 0) std::swap(x, y);
  if (y->stride == 0) return y->offset >= x->offset && y->offset < x->end && (y->offset - x->offset) % x->stride == 0;
  if (x->offset >= y->end || y->offset >= x->end) return false;
  return (x->offset - y->offset) % std::gcd(x->stride, y->stride) == 0;
}

int64_t Locations::Canonical(const Object& object, int64_t offset) const {
  for (const Region& region : object.regions) {
    if (offset >= region.begin && offset < region.end) return region.begin + (offset - region.begin) % region.stride;
  }
  return offset;
}

void Locations::Fold(ObjectId id, Region region, const MergeCells& merge) {
  Object& object = objects_[id];
  // Cells are eight bytes: other strides fold everything into one cell.
  if (region.stride % 8 != 0) region.stride = 8;
  region.begin &= ~int64_t{7};
  if (region.end < kUnbounded) region.end = (region.end + 7) & ~int64_t{7};
  for (const Region& old : object.regions) {
    if (old.begin <= region.begin && old.end >= region.end && region.stride % old.stride == 0) {
      return;
    }
  }
  // Regions that meet become one, with a stride that fits all of them.
  bool again = true;
  while (again) {
    again = false;
    for (size_t i = 0; i < object.regions.size(); ++i) {
      const Region old = object.regions[i];
      if (old.end <= region.begin || old.begin >= region.end) continue;
      region.stride = std::gcd(old.stride, region.stride);
      region.begin = std::min(old.begin, region.begin);
      region.end = std::max(old.end, region.end);
      object.regions.erase(object.regions.begin() + static_cast<std::ptrdiff_t>(i));
      again = true;
      break;
    }
  }
  object.regions.push_back(region);
  std::unordered_map<int64_t, Cell> cells;
  for (const auto& [granule, cell] : object.cells) {
    int64_t to = Canonical(object, granule * 8) / 8;
    auto [place, fresh] = cells.emplace(to, cell);
    if (!fresh) merge(&place->second, cell);
  }
  object.cells = std::move(cells);
}

std::vector<int64_t> Locations::Cells(LocId id, int64_t bytes, const MergeCells& merge) {
  const Loc loc = locs_[id];
  if (loc.stride != 0) Fold(loc.object, {loc.offset, std::max(loc.end, loc.offset + 8), loc.stride}, merge);
  const Object& object = objects_[loc.object];
  std::vector<int64_t> cells;
  int64_t last = (loc.offset + std::max<int64_t>(bytes, 1) - 1) / 8;
  for (int64_t granule = loc.offset / 8; granule <= last && cells.size() < 256; ++granule) {
    int64_t cell = Canonical(object, granule * 8) / 8;
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  }
  return cells;
}

}  // namespace heddle::deadlock
