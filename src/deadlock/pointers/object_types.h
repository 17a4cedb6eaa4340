// Types of memory in C programs, from the compiler's type tags (TBAA): memory that is allocated with exactly the size
// of a structure, and used as that structure where it is allocated, is not used as another one. An access to a member
// of some structure then does not touch objects of others, even where a pointer may point to them: what comes out of
// a container as a `void *` is told apart again by how it is used. C++, unions, characters and programs that are
// compiled without type tags are left alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "deadlock/input/primitives.h"
#include "deadlock/pointers/locations.h"

namespace llvm {
class Instruction;
class MDNode;
class Module;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

using PathId = uint32_t;
inline constexpr PathId kNoPath = 0;  // may touch anything

class ObjectTypes {
 public:
  ObjectTypes(llvm::Module& module, const Primitives& primitives);

  // The structure that the memory of this site surely is; null when it may be anything.
  const llvm::MDNode* Of(const llvm::Value* site) const;
  // Which member of which structure the instruction accesses.
  PathId PathOf(const llvm::Instruction& access);
  // Which member of which structure is surely accessed through the value once it is known, if it is not null. The
  // offset is from what the value points to.
  PathId Expected(const llvm::Value* value);
  // Whether an access to that member may be at the location, in an object of type `type` (null: anything).
  bool Allows(const llvm::MDNode* type, const Loc& loc, PathId path);
  // Whether something that has no structure of its own for the compiler (a union, as mutexes are) may begin there.
  static bool AllowsUnion(const llvm::MDNode* type, const Loc& loc);

 private:
  struct Path {
    const llvm::MDNode* base = nullptr;
    int64_t offset = 0;
    bool operator<(const Path& other) const { return base != other.base ? base < other.base : offset < other.offset; }
  };
  struct Use {
    const llvm::MDNode* type;
    int64_t begin;
  };
  PathId Intern(const Path& path);
  static Path Read(const llvm::Instruction& access);
  void ReadSizes(const llvm::Module& module);
  bool HasSize(const llvm::MDNode* type, int64_t bytes) const;
  const llvm::MDNode* Outermost(const std::vector<Use>& uses);
  bool HasInside(const llvm::MDNode* outer, const llvm::MDNode* inner);
  bool HasAt(const llvm::MDNode* outer, int64_t offset, const llvm::MDNode* inner);

  std::map<std::string, int64_t> sizes_;  // of structures by name; -1: several of that name
  std::unordered_map<const llvm::Value*, const llvm::MDNode*> types_;
  std::vector<Path> paths_;
  std::map<Path, PathId> index_;
  std::map<std::pair<const llvm::MDNode*, const llvm::MDNode*>, bool> inside_;  // answers of HasInside
};

}  // namespace heddle::deadlock
