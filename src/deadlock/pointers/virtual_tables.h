// Which functions a virtual call may reach, by its static class. Clang says with every virtual call of which class the
// table is (llvm.type.test, -fwhole-program-vtables), and with every table which classes it serves (!type).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <set>

namespace heddle::deadlock {

class VirtualTables {
 public:
  explicit VirtualTables(llvm::Module& module);

  // False only if the call is a virtual one, and no table of its class has the function in the slot.
  bool CanReach(const llvm::CallBase& call, const llvm::Function& callee);

 private:
  using Slot = std::pair<const llvm::Metadata*, uint64_t>;  // class, bytes behind the address point

  void AddTable(const llvm::GlobalVariable& table);
  void AddPlaces(const llvm::GlobalVariable& table);
  const std::set<const llvm::Function*>& FunctionsIn(Slot slot);

  llvm::Module& module_;
  struct Place {
    const llvm::GlobalVariable* table;
    uint64_t address_point;
  };
  llvm::DenseMap<const llvm::Metadata*, std::vector<Place>> places_;
  std::map<Slot, std::set<const llvm::Function*>> functions_;
  llvm::DenseSet<const llvm::Function*> in_known_tables_;    // whose classes are told
  llvm::DenseSet<const llvm::Function*> in_unknown_tables_;  // of other compilations
};

}  // namespace heddle::deadlock
