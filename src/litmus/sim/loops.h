// What the loops of a thread need to be known: which instructions are in one, and which registers still matter.
#pragma once

#include <cstdint>
#include <vector>

#include "litmus/syntax/test.h"

namespace heddle::litmus {

// By instruction: whether a jump back leads over it.
std::vector<bool> InLoop(const Thread& thread);

class LiveRegisters {
 public:
  // Which registers are read later, before each instruction; those that the test shows are read at the end.
  void Find(const Test& test, int thread);
  // Whether the registers that are still read from here on are the same.
  bool Same(int pc, const std::vector<int64_t>& a, const std::vector<int64_t>& b) const;

 private:
  std::vector<std::vector<bool>> live_;  // by instruction
};

}  // namespace heddle::litmus
