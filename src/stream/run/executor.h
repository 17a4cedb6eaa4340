// Runs one chunk of bytecode.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "stream/run/bytecode.h"

namespace heddle::stream {

class Executor {
 public:
  // Runs `chunk` on registers that the caller filled with the parameters. `present` says which Option parameters there
  // are. False when the result is None; else the result is in *result. Leaves no reference in the registers.
  bool Run(const Chunk& chunk, Value* registers, const uint8_t* present, Value* result);

 private:
  static constexpr int kMaxDepth = 2000;  // nested calls of recursive functions

  // Executes [at, end) and reports how it ended.
  enum class End { kFell, kValue, kNone };
  End Execute(const Chunk& chunk, uint32_t at, uint32_t end, Value* registers, const uint8_t* present, Value* result);
  void RunFold(const Chunk& chunk, const FoldInfo& fold, uint32_t dst, Value* registers, const uint8_t* present);
  Value CallFunction(const Function& function, Value* arguments, uint32_t count);

  struct Callee {
    Chunk chunk;
    std::vector<std::vector<Value>> free;  // registers that no call uses now
  };
  std::unordered_map<const Function*, std::unique_ptr<Callee>> compiled_;
  int depth_ = 0;
};

}  // namespace heddle::stream
