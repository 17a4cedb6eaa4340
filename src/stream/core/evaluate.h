// Evaluates an expression tree directly. Used for constants during elaboration, where speed does not matter; monitors
// run bytecode or compiled code instead.
#pragma once

#include <vector>

#include "stream/core/core.h"

namespace heddle::stream {

class Evaluator {
 public:
  // Gives up after `fuel` nodes or `kMaxCalls` nested calls; the result is then an error value.
  explicit Evaluator(uint64_t fuel = 10'000'000) : fuel_(fuel) {}

  Value Run(const ExprRef& expr, std::vector<Value>& locals);
  Value Call(const Function& function, std::vector<Value> arguments);

 private:
  static constexpr int kMaxCalls = 500;
  static constexpr const char* kTooLong = "Evaluation does not end";

  Value Fold(const Expr& expr, std::vector<Value>& locals);
  Value Map(const Expr& expr, std::vector<Value>& locals);

  uint64_t fuel_;
  int calls_ = 0;
};

}  // namespace heddle::stream
