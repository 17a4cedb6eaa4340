// Memory that keeps its value while a function is under way.
//
// Between two places of one activation of a function, other code runs: what the function calls, other threads, signal
// handlers, code outside of the program. `During` is all of that, over the calls that the pointer analysis found. A
// variable is unchanged there if nothing in it may write to it, by the pointer analysis or by the types of the
// accesses. Where the dependency cut has left a pointer out, only types count.
//
// Loads of an unchanged integer give one value. UniteLoads writes that into the function, so that loops with a bound in
// memory (`i < pool->threads`) have a number of turns.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>

#include <map>
#include <set>
#include <vector>

#include "deadlock/locksets/facts.h"

namespace llvm {
class LoadInst;
}  // namespace llvm

namespace heddle::deadlock {

class Unchanged {
 public:
  Unchanged(llvm::Module& module, const Facts& facts);

  // Makes loads of the same unchanged integer, one of which is before the other on every way, one value.
  void UniteLoads(llvm::Function& function);

  // Whether code that runs during the function, other than its own, may store an address or a handle there.
  bool StoredDuring(const llvm::Function& function, const LocSet& where);

 private:
  struct Written {
    const llvm::Value* address = nullptr;
    int64_t bytes = 0;
  };
  using Functions = std::set<const llvm::Function*>;

  const Functions& During(const llvm::Function& function);
  void Reach(const llvm::Function& from, Functions* reached) const;
  std::vector<Written> WritesOf(const llvm::Instruction& at) const;
  bool MayWrite(const llvm::Instruction& at, const llvm::LoadInst& variable);
  bool Meet(const llvm::Value* address, int64_t bytes, const LocSet& where, int64_t width);
  bool Changes(const llvm::LoadInst& first);

  llvm::Module& module_;
  const Facts& facts_;
  llvm::TargetLibraryInfoImpl library_info_;
  llvm::TargetLibraryInfo library_;
  llvm::TypeBasedAAResult types_;
  llvm::AAResults aliases_;
  std::map<const llvm::Function*, Functions> during_;
};

}  // namespace heddle::deadlock
