// The slots of one running activation; private to src/csp/eval.
#pragma once

#include <fmt/format.h>

#include "csp/eval/evaluator.h"

namespace heddle::csp {

// Slots are taken from one stack that never moves, so `slots()` stays valid until the activation ends.
class Evaluator::Activation {
 public:
  Activation(Evaluator& evaluator, uint32_t count, Span span) : evaluator_(evaluator), top_(evaluator.stack_top_) {
    if (top_ + count + 1 > kSlots) evaluator.FailTooDeep(span, "infinite recursion: the stack is full");
    evaluator.stack_top_ += count;
  }
  ~Activation() { evaluator_.stack_top_ = top_; }
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

  Value* slots() { return evaluator_.stack_.get() + top_; }
  // Copies the captured values of a closure to where its unit expects them.
  void Load(const Unit& unit, std::span<const Value> captured) {
    for (size_t i = 0; i < unit.captures.size(); ++i) slots()[unit.captures[i].to] = captured[i];
  }

 private:
  Evaluator& evaluator_;
  size_t top_;
};

// One entry of the chain of calls that messages show; leaves with its scope, also when an error unwinds.
class Evaluator::CallScope {
 public:
  CallScope(Evaluator& evaluator, const Decl* decl, Span span, std::span<const Value> args) : evaluator_(evaluator) {
    if (evaluator.calls_.size() >= kMaxCalls) {
      evaluator.FailTooDeep(span, fmt::format("infinite recursion: {} calls inside each other", kMaxCalls));
    }
    evaluator.calls_.push_back({decl, span, args});
  }
  ~CallScope() { evaluator_.calls_.pop_back(); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Evaluator& evaluator_;
};

// Marks a value as being computed, to find definitions that need themselves.
class BusyScope {
 public:
  explicit BusyScope(std::vector<bool>::reference flag) : flag_(flag) { flag_ = true; }
  ~BusyScope() { flag_ = false; }
  BusyScope(const BusyScope&) = delete;
  BusyScope& operator=(const BusyScope&) = delete;

 private:
  std::vector<bool>::reference flag_;
};

}  // namespace heddle::csp
