// Abstract memory: objects, and locations in them.
//
// A location is an object with a byte offset, or with a progression offset, offset + stride, ... below end: what a
// variable index may reach. Objects hold cells of eight bytes, each a node of the pointer analysis; cells in a region
// that is accessed with a variable index are folded by its stride (Region), once and for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "deadlock/pointers/access_tags.h"

namespace llvm {
class DataLayout;
class MDNode;
class Type;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

using ObjectId = uint32_t;
using LocId = uint32_t;
inline constexpr LocId kNoLoc = UINT32_MAX;

enum class ObjectKind : uint8_t {
  kGlobal,
  kStack,
  kHeap,
  kFunction,
  kThread,    // what pthread_create writes: stands for the thread; `site` is the call
  kExternal,  // memory that code we do not see handed out
  kCaller,    // memory that a caller of a library hands in
};

// Bytes [begin, end) whose cells are folded: the cell of an offset is that of begin + (offset - begin) % stride.
struct Region {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 8;
};

// Eight bytes of an object, as nodes of the pointer analysis: what stores write, and what loads see, by the type of the
// access. A load sees what was stored as a type that it can meet.
struct Cell {
  std::vector<std::pair<TagId, uint32_t>> stored, seen;
};

struct Object {
  ObjectKind kind = ObjectKind::kHeap;
  const llvm::Value* site = nullptr;
  llvm::Type* type = nullptr;            // of globals and stack slots
  int64_t size = 0;                      // 0: unknown
  const llvm::MDNode* layout = nullptr;  // of allocated memory that is surely one structure (object_types.h)
  std::vector<Region> regions;
  std::unordered_map<int64_t, Cell> cells;  // by canonical offset / 8
  Cell anywhere;                            // what was stored at some offset, nobody knows which; has no `seen`
  uint32_t locations = 0;
  std::vector<uint32_t> members;  // of an object that stands for one of several locations (OneOf), none of which does
  bool is_thread_local = false;
  bool harmless = false;    // memory of library functions that keep nothing: what is called there is like them
  bool only_whole = false;  // new locations in it stand for the whole
};

struct Loc {
  ObjectId object = 0;
  int64_t offset = 0;
  int64_t stride = 0;  // 0: this offset only
  int64_t end = 0;     // of a progression

  bool operator==(const Loc&) const = default;
};

class Locations {
 public:
  explicit Locations(const llvm::DataLayout& layout) : layout_(layout) {}

  ObjectId Add(Object object);
  Object& object(ObjectId id) { return objects_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }
  const Loc& loc(LocId id) const { return locs_[id]; }
  const Object& object_of(LocId id) const { return objects_[locs_[id].object]; }
  size_t objects() const { return objects_.size(); }
  size_t locs() const { return locs_.size(); }

  LocId At(ObjectId object, int64_t offset = 0) { return Intern({object, offset, 0, 0}); }
  // The location `bytes` further on; kNoLoc when that lies outside of the object.
  LocId Shift(LocId id, int64_t bytes);
  // Any multiple of `stride` further on; with `forward`, only further on, else also back.
  LocId Spread(LocId id, int64_t stride, bool forward);
  // The progression of all bytes of the object.
  LocId Whole(ObjectId object);

  // From now on the object is followed as a whole; its Whole, or the location itself if it cannot be taken apart.
  LocId Widen(LocId id);

  // A location that stands for any of `set`: what many pointers to one place would be, when there are too many to
  // follow each.
  LocId OneOf(const std::vector<LocId>& set);
  // The same, but unlike any other location.
  LocId NewOneOf(const std::vector<LocId>& set);
  // Whether the two can be the same address.
  bool Overlap(LocId a, LocId b) const;
  bool IsProgression(LocId id) const { return locs_[id].stride != 0; }

  // Joins the second cell into the first.
  using MergeCells = std::function<void(Cell*, const Cell&)>;
  // The canonical offsets / 8 of the cells that `bytes` bytes at the location touch. Folds the region of a progression;
  // `merge` is told about cells that became one.
  std::vector<int64_t> Cells(LocId id, int64_t bytes, const MergeCells& merge);

  static constexpr int64_t kUnbounded = INT64_MAX / 4;

 private:
  struct LocHash {
    size_t operator()(const Loc& loc) const;
  };
  bool MembersOverlap(LocId a, LocId b) const;
  LocId Intern(const Loc& loc);
  int64_t End(ObjectId object) const;
  void Fold(ObjectId object, Region region, const MergeCells& merge);
  int64_t Canonical(const Object& object, int64_t offset) const;

  const llvm::DataLayout& layout_;
  std::vector<Object> objects_;
  std::vector<Loc> locs_;
  std::unordered_map<Loc, LocId, LocHash> index_;
  std::map<std::vector<LocId>, LocId> sets_;
  mutable std::unordered_map<uint64_t, bool> overlaps_;  // answers for locations with members
};

}  // namespace heddle::deadlock
