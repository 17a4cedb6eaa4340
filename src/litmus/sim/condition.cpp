#include "litmus/sim/condition.h"

namespace heddle::litmus {
namespace {

// Registers of 32 bits hold -1 as 4294967295; a condition may write it either way.
int64_t Signed(int64_t value) {
  bool word = value > INT32_MAX && value <= int64_t{UINT32_MAX};
  return word ? static_cast<int32_t>(static_cast<uint32_t>(value)) : value;
}

bool Compare(Op op, int64_t left, int64_t right) {
  int64_t a = Signed(left);
  int64_t b = Signed(right);
  switch (op) {
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kGt:
      return a > b;
    case Op::kGe:
      return a >= b;
    default:
      return a == b;
  }
}

}  // namespace

bool EvaluateProp(const Test& test, int index, const std::vector<int64_t>& values) {
  const Prop& prop = test.props[static_cast<size_t>(index)];
  switch (prop.kind) {
    case Prop::Kind::kTrue:
      return true;
    case Prop::Kind::kFalse:
      return false;
    case Prop::Kind::kAnd:
      return EvaluateProp(test, prop.left, values) && EvaluateProp(test, prop.right, values);
    case Prop::Kind::kOr:
      return EvaluateProp(test, prop.left, values) || EvaluateProp(test, prop.right, values);
    case Prop::Kind::kNot:
      return !EvaluateProp(test, prop.left, values);
    case Prop::Kind::kCompare: {
      int64_t left = prop.left >= 0 ? values[static_cast<size_t>(prop.left)] : prop.left_value;
      int64_t right = prop.right >= 0 ? values[static_cast<size_t>(prop.right)] : prop.right_value;
      return Compare(prop.compare, left, right);
    }
  }
  return false;
}

}  // namespace heddle::litmus
