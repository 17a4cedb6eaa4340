// Which accesses to one address can meet: the compiler's type tags (TBAA). An object's value may be read only as the
// type it was stored as, or as characters (C11 6.5p7), so a pointer is not what a load of a number returns, even where
// the memory is the same. Accesses without a tag (-fno-strict-aliasing, -O0, characters, unions) meet everything.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace llvm {
class Instruction;
class MDNode;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

using TagId = uint32_t;
inline constexpr TagId kAnyTag = 0;  // meets all

class AccessTags {
 public:
  AccessTags();
  ~AccessTags();
  AccessTags(const AccessTags&) = delete;
  AccessTags& operator=(const AccessTags&) = delete;

  TagId Of(const llvm::Instruction& access);
  bool Meet(TagId a, TagId b);
  size_t size() const { return tags_.size(); }

 private:
  struct Oracle;  // LLVM's own rule

  TagId Intern(const llvm::MDNode* tag);
  bool Ask(const llvm::MDNode* a, const llvm::MDNode* b);

  std::unique_ptr<Oracle> oracle_;
  std::vector<const llvm::MDNode*> tags_;
  std::unordered_map<const llvm::MDNode*, TagId> index_;
  std::unordered_map<uint64_t, bool> meet_;
};

}  // namespace heddle::deadlock
