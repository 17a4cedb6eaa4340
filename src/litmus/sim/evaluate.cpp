#include "litmus/sim/evaluate.h"

#include <algorithm>

namespace heddle::litmus {
namespace {

int64_t Divided(Op op, int64_t x, int64_t y) {
  if (y == 0) return 0;
  if (op == Op::kDivU) return static_cast<int64_t>(static_cast<uint64_t>(x) / static_cast<uint64_t>(y));
  if (y == -1) return op == Op::kMod ? 0 : static_cast<int64_t>(-static_cast<uint64_t>(x));
  return op == Op::kDiv ? x / y : x % y;
}

int64_t One(Op op, int64_t x) {
  switch (op) {
    case Op::kNot:
      return x == 0 ? 1 : 0;
    case Op::kNeg:
      return static_cast<int64_t>(-static_cast<uint64_t>(x));
    case Op::kComplement:
      return ~x;
    // An address keeps its upper half: 32-bit tests use it as a number without one.
    case Op::kZext32:
      return IsAddress(x) ? x : static_cast<int64_t>(static_cast<uint32_t>(x));
    case Op::kSext32:
      return IsAddress(x) ? x : static_cast<int64_t>(static_cast<int32_t>(x));
    case Op::kZext8:
      return x & 0xff;
    case Op::kZext16:
      return x & 0xffff;
    default:
      return x;
  }
}

int64_t Two(Op op, int64_t x, int64_t y) {
  auto ux = static_cast<uint64_t>(x);
  auto uy = static_cast<uint64_t>(y);
  switch (op) {
    case Op::kAdd:
      return static_cast<int64_t>(ux + uy);
    case Op::kSub:
      return static_cast<int64_t>(ux - uy);
    case Op::kMul:
      return static_cast<int64_t>(ux * uy);
    case Op::kDiv:
    case Op::kDivU:
    case Op::kMod:
      return Divided(op, x, y);
    case Op::kAnd:
      return x & y;
    case Op::kOr:
      return x | y;
    case Op::kXor:
      return x ^ y;
    case Op::kShl:
      return static_cast<int64_t>(ux << (uy & 63));
    case Op::kShr:
      return static_cast<int64_t>(ux >> (uy & 63));
    case Op::kSar:
      return x >> (uy & 63);
    case Op::kEq:
      return x == y ? 1 : 0;
    case Op::kNe:
      return x != y ? 1 : 0;
    case Op::kLt:
      return x < y ? 1 : 0;
    case Op::kLe:
      return x <= y ? 1 : 0;
    case Op::kGt:
      return x > y ? 1 : 0;
    case Op::kGe:
      return x >= y ? 1 : 0;
    case Op::kLtU:
      return ux < uy ? 1 : 0;
    case Op::kLeU:
      return ux <= uy ? 1 : 0;
    case Op::kGtU:
      return ux > uy ? 1 : 0;
    case Op::kGeU:
      return ux >= uy ? 1 : 0;
    case Op::kLogicalAnd:
      return x != 0 && y != 0 ? 1 : 0;
    case Op::kLogicalOr:
      return x != 0 || y != 0 ? 1 : 0;
    case Op::kMin:
      return std::min(x, y);
    case Op::kMax:
      return std::max(x, y);
    case Op::kMinU:
      return static_cast<int64_t>(std::min(ux, uy));
    case Op::kMaxU:
      return static_cast<int64_t>(std::max(ux, uy));
    default:
      return 0;
  }
}

}  // namespace

int64_t Evaluate(const Thread& thread, int expr, const Registers& registers, int64_t old, Flow* flow) {
  const Expr& e = thread.exprs[static_cast<size_t>(expr)];
  switch (e.op) {
    case Op::kConst:
      return e.imm;
    case Op::kReg:
      if (flow != nullptr) flow->Add(registers.flows[static_cast<size_t>(e.a)]);
      return registers.values[static_cast<size_t>(e.a)];
    case Op::kOld:
      return old;
    case Op::kSelect: {
      auto chosen = [&](bool yes) { return yes ? e.b : static_cast<int>(e.imm); };
      if (!registers.selects) {
        bool yes = Evaluate(thread, e.a, registers, old, flow) != 0;
        Evaluate(thread, chosen(!yes), registers, old, flow);
        return Evaluate(thread, chosen(yes), registers, old, flow);
      }
      Flow decides;
      bool yes = Evaluate(thread, e.a, registers, old, &decides) != 0;
      if (flow != nullptr) Join(flow->pick, decides.pick);
      return Evaluate(thread, chosen(yes), registers, old, flow);
    }
    default:
      break;
  }
  int64_t x = Evaluate(thread, e.a, registers, old, flow);
  return e.b < 0 ? One(e.op, x) : Two(e.op, x, Evaluate(thread, e.b, registers, old, flow));
}

bool UsesOld(const Thread& thread, int expr) {
  const Expr& e = thread.exprs[static_cast<size_t>(expr)];
  if (e.op == Op::kOld) return true;
  if (e.op == Op::kConst || e.op == Op::kReg) return false;
  return (e.a >= 0 && UsesOld(thread, e.a)) || (e.b >= 0 && UsesOld(thread, e.b)) ||
         (e.op == Op::kSelect && UsesOld(thread, static_cast<int>(e.imm)));
}

}  // namespace heddle::litmus
