// Elements of arrays that belong to one thread each.
//
// A loop that runs once creates a thread in each turn, and gives it &elements[i] or the number i: no two of these
// threads get the same. What such a thread accesses through its argument, within one element, or in an array at that
// number, no other one of them does.
#pragma once

#include <map>
#include <tuple>

#include "deadlock/locksets/facts.h"

namespace heddle::deadlock {

// Accesses with equal ones are by threads of one kind, each to its own element.
struct OwnElement {
  const llvm::Value* array = nullptr;  // or the parameter; null: nobody's own
  int64_t scale = 0, element = 0;
  auto operator<=>(const OwnElement&) const = default;
};

class OwnElements {
 public:
  explicit OwnElements(const Facts& facts);

  OwnElement Of(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes) const;

 private:
  struct Started {
    unsigned parameter = 0;
    int64_t apart = 0;    // bytes, or steps of the number
    bool number = false;  // it gets a number, not an address
    bool narrow = false;  // of at most 32 bits
  };
  void Look(const llvm::CallBase& create);

  const Facts& facts_;
  std::map<const llvm::Function*, Started> started_;
};

}  // namespace heddle::deadlock
