// Which objects more than one thread can reach: what globals, arguments of new threads and memory of external code lead
// to. Everything else is some thread's own, however it is passed around inside that thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "deadlock/locksets/facts.h"

namespace heddle::deadlock {

class Sharing {
 public:
  Sharing(const llvm::Module& module, const Facts& facts);

  bool Shared(ObjectId object) const { return object < shared_.size() && shared_[object]; }
  // External code may access it, now or, if it keeps a pointer to it, at any time.
  bool Touched(ObjectId object) const { return object < touched_.size() && touched_[object]; }
  // Functions of libraries that get shared memory, of which no table says what they do to it.
  const std::set<std::string>& unseen() const { return unseen_; }

 private:
  void Reach(std::vector<ObjectId> work, std::vector<bool>* reached) const;
  std::vector<ObjectId> ObjectsOf(const LocSet& set) const;
  void FindUnseen(const llvm::Module& module);

  const Facts& facts_;
  std::vector<bool> shared_, touched_;
  std::set<std::string> unseen_;
};

}  // namespace heddle::deadlock
