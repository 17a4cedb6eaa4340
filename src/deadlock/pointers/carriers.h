// Which integers may be addresses. Most 64-bit numbers of a program are lengths, counters and hashes; one is worth
// following only if it can become a pointer again, a thread handle, or bytes in memory that are read as one. An address
// that is stored as a number of some type is taken to be read back as a number of that type. What code outside of the
// program gets as a number it may hand back as one: to a function that it calls, as a result, in memory.
#pragma once

#include <unordered_set>
#include <vector>

#include "deadlock/input/primitives.h"
#include "deadlock/pointers/access_tags.h"

namespace llvm {
class CallBase;
class Function;
class Module;
class Use;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

class Carriers {
 public:
  Carriers(llvm::Module& module, const Primitives& primitives, AccessTags& tags);

  // Whether the value can hold an address, and somebody can notice.
  bool Carries(const llvm::Value* value) const;

 private:
  void Mark(const llvm::Value* value);
  void MarkOperands(const llvm::Value& value);
  void SeedFrom(const llvm::Use& use);
  void LoadsAs(TagId tag);
  void Returned(const llvm::Function* function);
  void Passed(const llvm::CallBase& call, const llvm::Use& use);
  void FromOutside();

  const Primitives& primitives_;
  AccessTags& tags_;
  std::unordered_set<const llvm::Value*> carrying_;
  std::vector<const llvm::Value*> work_;
  std::vector<const llvm::Value*> waiting_;           // stores of numbers, as instructions
  std::vector<TagId> loaded_;                         // tags of loads that carry
  std::vector<const llvm::Value*> given_;             // numbers that code outside of the program gets
  std::vector<const llvm::CallBase*> indirect_;       // calls through pointers
  std::vector<const llvm::Function*> address_taken_;  // functions that they may reach
};

}  // namespace heddle::deadlock
