// Coroutines as the compiler has split them: f makes the frame, f.resume and f.destroy go on from the suspend point
// whose number is in the frame. Which point that is decides what is held, so states keep the number where it is
// certain.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace llvm {
class Function;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace heddle::deadlock {

class Coroutines {
 public:
  void Find(const llvm::Module& module);

  // Whether the function makes, resumes or destroys frames with such a number; `of` tells coroutines apart.
  bool IsPart(const llvm::Function* function) const { return parts_.count(function) != 0; }
  const llvm::Function* Of(const llvm::Function* part) const { return parts_.at(part).resume; }
  bool Resumes(const llvm::Function* part) const { return parts_.at(part).goes_on; }
  // A store of the number of a suspend point: the address and the number.
  struct Store {
    const llvm::Value* address = nullptr;
    int64_t point = 0;
  };
  std::optional<Store> StoreAt(const llvm::Instruction& at) const;
  // The address of the number that the end of a block decides by; null: it decides by something else.
  const llvm::Value* DecidesBy(const llvm::Instruction& terminator) const;
  // Which successor is taken when that number is `point`; none: not known.
  static std::optional<unsigned> Taken(const llvm::Instruction& terminator, int64_t point);

 private:
  struct Part {
    const llvm::Function* resume = nullptr;
    bool goes_on = false;  // resumes or destroys
    int64_t offset = 0;    // of the number in the frame
    unsigned bits = 0;
  };
  std::map<const llvm::Function*, Part> parts_;
};

}  // namespace heddle::deadlock
