// Which locks each thread holds as a trace goes by; sets are interned, so that comparing them is cheap.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/event.h"

namespace heddle::predict {

struct LockInSet {
  uint64_t lock = 0;
  bool shared = false;
  auto operator<=>(const LockInSet&) const = default;
};
using LockSet = std::vector<LockInSet>;  // sorted

class Locksets {
 public:
  void Add(const trace::Event& event);

  // Number of the set that the thread holds now; 0 is the empty set.
  uint32_t Now(uint32_t thread) const { return thread < current_.size() ? current_[thread] : 0; }
  const LockSet& Set(uint32_t number) const { return *sets_[number]; }

  // Whether some lock keeps the two apart: both hold it, at least one of them alone.
  bool Exclude(uint32_t a, uint32_t b) const;

  Locksets();

 private:
  struct Holding {
    LockInSet held;
    uint32_t depth = 0;  // recursive mutexes
  };
  void Take(uint32_t thread, LockInSet lock);
  void Drop(uint32_t thread, uint64_t lock);
  void Intern(uint32_t thread);

  std::vector<std::vector<Holding>> holding_;  // by thread
  std::vector<uint32_t> current_;
  std::map<LockSet, uint32_t> numbers_;
  std::vector<const LockSet*> sets_;
};

}  // namespace heddle::predict
