// How a function names an address: root + index * scale + offset. Two equal names in one activation, with nothing
// redefined in between, are the same address; with one root that is a global variable, and one index, in any two.
#pragma once

#include <cstdint>
#include <tuple>

namespace llvm {
class Module;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

struct AddressName {
  const llvm::Value* root = nullptr;
  const llvm::Value* index = nullptr;  // without the cast that makes it wider; null: there is none
  unsigned widened = 0;                // by which cast
  int64_t scale = 0;
  int64_t offset = 0;

  auto Stem() const { return std::tuple(root, index, widened, scale); }
};

AddressName NameAddress(const llvm::Module& module, const llvm::Value* pointer);

}  // namespace heddle::deadlock
