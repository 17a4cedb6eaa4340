// Which threads are surely over when a std::thread object, or every element of a vector of them, is not joinable any
// more: its destructor has run, or a loop has joined them all.
//
// A thread whose handle is only ever in such an object was joined then, unless somebody detaches it. Handles are
// followed by the pointer analysis: all places that may hold the thread must be the object (or memory of the vector),
// or std::thread variables of functions that are over, which cannot be joinable either.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "deadlock/locksets/facts.h"

namespace heddle::deadlock {

class ThreadObjects {
 public:
  explicit ThreadObjects(const Facts& facts) : facts_(facts) {}

  // The threads (by the call that creates them) that are over when the object at this single location is not joinable.
  std::set<const llvm::CallBase*> GoneWith(LocId object, const llvm::Instruction& at);
  // The same for all elements of the vector there.
  std::set<const llvm::CallBase*> GoneWithAll(LocId vector, const llvm::Instruction& at);

 private:
  struct Holder {
    ObjectId object = 0;
    int64_t granule = 0;  // -1: anywhere
  };
  void Find();
  bool Over(const Object& variable, const llvm::Instruction& at) const;
  bool OnlyOwner(ObjectId vector, const std::set<ObjectId>& memory) const;
  bool Reaches(const llvm::Function* from, const llvm::Function* to) const;

  const Facts& facts_;
  bool found_ = false;
  std::map<ObjectId, std::vector<Holder>> holders_;  // of threads, by their object
  std::set<ObjectId> detached_;
};

}  // namespace heddle::deadlock
