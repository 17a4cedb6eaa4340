// Memory that belongs to one thread each.
//
// A loop that runs once creates a thread in each turn, and gives it &elements[i], the number i, or memory that it has
// allocated in that turn: no two of these threads get the same. What such a thread accesses through its argument,
// within one element, or in an array at that number, no other one of them does. Nor does the creator meet the thread
// there: before it creates it, and behind the join of the same turn in a loop that joins them all.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <map>
#include <memory>
#include <tuple>

#include "deadlock/locksets/facts.h"
#include "deadlock/locksets/join_loops.h"
#include "deadlock/races/address_names.h"

namespace heddle::deadlock {

// Accesses with equal ones are by threads of one kind, each to its own element, or by their creator while there is no
// such thread.
struct OwnElement {
  const llvm::Value* array = nullptr;  // or the parameter; null: nobody's own
  int64_t scale = 0, element = 0;
  auto operator<=>(const OwnElement&) const = default;
};

class OwnElements {
 public:
  OwnElements(const Facts& facts, const JoinLoops& joins);

  OwnElement Of(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes) const;

 private:
  struct Started {
    const llvm::Function* start = nullptr;
    const llvm::CallBase* create = nullptr;
    unsigned parameter = 0;
    int64_t apart = 0;                    // bytes, or steps of the number
    bool number = false;                  // it gets a number, not an address
    bool narrow = false;                  // of at most 32 bits
    AddressName given;                    // the address
    const llvm::Value* object = nullptr;  // allocated in the turn: all of it is the thread's
  };
  struct Creator {
    llvm::DominatorTree dominators;
    llvm::LoopInfo loops;
    std::vector<Started> started;
    explicit Creator(llvm::Function& function) : dominators(function), loops(dominators) {}
  };
  void Look(const llvm::CallBase& create);
  OwnElement InThread(const Started& started, const llvm::Instruction& at, const AddressName& name,
                      int64_t bytes) const;
  OwnElement InCreator(const Creator& creator, const Started& started, const llvm::Instruction& at,
                       const AddressName& name, int64_t bytes) const;

  const Facts& facts_;
  const JoinLoops& joins_;
  std::map<const llvm::Function*, Started> started_;
  std::map<const llvm::Function*, std::unique_ptr<Creator>> creators_;
};

}  // namespace heddle::deadlock
