#include "stream/run/bytecode.h"

#include "stream/core/liveness.h"

namespace heddle::stream {
namespace {

class FunctionCompiler {
 public:
  FunctionCompiler(const Function& function, bool option_parameters)
      : function_(function), live_(option_parameters ? function.parameters : 0), next_(function.locals) {}

  Chunk Run(bool option_result) {
    chunk_.registers = next_;
    if (option_result) {
      Tail(function_.body, {});
    } else {
      uint32_t result = Temporary();
      Into(result, function_.body, {});
      Emit(Code::kReturn, 0, result | kTake);
    }
    for (Instruction& instruction : chunk_.code) {
      for (uint32_t* field : {&instruction.x, &instruction.y, &instruction.z}) {
        if ((*field & kConstant) != 0 && (*field & kTake) == 0) *field = chunk_.registers + (*field & ~kConstant);
      }
    }
    return std::move(chunk_);
  }

 private:
  uint32_t Emit(Code code, uint32_t dst = 0, uint32_t x = 0, uint32_t y = 0, uint32_t z = 0) {
    chunk_.code.push_back({code, Primitive::kAdd, dst, x, y, z});
    return static_cast<uint32_t>(chunk_.code.size() - 1);
  }
  void Place(uint32_t instruction, const Expr& e) {
    if (!e.place.empty()) chunk_.places.emplace_back(instruction, e.place);
  }
  uint32_t Here() const { return static_cast<uint32_t>(chunk_.code.size()); }
  uint32_t Temporary() {
    uint32_t result = next_++;
    chunk_.registers = std::max(chunk_.registers, next_);
    return result;
  }
  uint32_t Constant(const Value& value) {
    chunk_.constants.push_back(value);
    return static_cast<uint32_t>(chunk_.constants.size() - 1);
  }

  // An operand: a plain local is used where it is, moved when this is its last use; the rest goes to a temporary.
  uint32_t Operand(const ExprRef& expr, const LocalSet& after) {
    if (expr->op == Op::kLocal && !live_.IsParameter(expr))
      return expr->local | (after.contains(expr->local) ? 0 : kTake);
    if (expr->op == Op::kConst) return Constant(expr->constant) | kConstant;
    uint32_t temporary = Temporary();
    Into(temporary, expr, after);
    return temporary | kTake;
  }

  // Operands from left to right; each is live until the operation, which matters for a local used twice.
  std::vector<uint32_t> Operands(const Expr& expr, const LocalSet& after) {
    std::vector<uint32_t> operands;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      LocalSet rest = after;
      for (size_t j = i + 1; j < expr.args.size(); ++j) rest = Liveness::Join(rest, live_.Uses(expr.args[j]));
      // A local that is an earlier operand in place must not be moved by a later one before the operation reads it.
      for (uint32_t earlier : operands) {
        if ((earlier & kConstant) == 0 && (earlier & ~kTake) < function_.locals) rest.insert(earlier & ~kTake);
      }
      operands.push_back(Operand(expr.args[i], rest));
    }
    return operands;
  }

  LocalSet After(const LocalSet& after, const ExprRef& a) { return Liveness::Join(after, live_.Uses(a)); }

  void Branching(uint32_t dst, const Expr& e, const LocalSet& after) {
    uint32_t condition = Operand(e.args[0], After(After(after, e.args[1]), e.args[2]));
    uint32_t branch = Emit(Code::kBranch, dst, condition);
    Into(dst, e.args[1], after);
    uint32_t jump = Emit(Code::kJump);
    chunk_.code[branch].y = Here();
    Into(dst, e.args[2], after);
    chunk_.code[branch].z = chunk_.code[jump].x = Here();
  }

  void OrElse(uint32_t dst, const Expr& e, const LocalSet& after) {
    LocalSet rest = After(after, e.args[1]);
    uint32_t test;
    if (live_.IsParameter(e.args[0])) {
      bool take = !rest.contains(e.args[0]->local);
      test = Emit(Code::kOrElseParam, dst, e.args[0]->local | (take ? kTake : 0));
    } else {
      test = Emit(Code::kOrElse, dst, Operand(e.args[0], rest));
    }
    Into(dst, e.args[1], after);
    chunk_.code[test].y = Here();
  }

  void Fold(uint32_t dst, const ExprRef& expr, const LocalSet& after) {
    const Expr& e = *expr;
    bool map = e.op == Op::kSetMap || e.op == Op::kListMap;
    const ExprRef& body = e.args.back();
    // The body runs many times: what it reads from outside must survive, what it binds itself may be moved.
    LocalSet inside = After(after, body);
    for (uint32_t local : e.locals) inside.erase(local);
    FoldInfo info;
    info.op = e.op;
    info.locals = e.locals;
    uint32_t collection = Temporary();
    Into(collection, e.args[0], map ? inside : After(inside, e.args[1]));
    info.collection = collection;
    info.start = Temporary();
    if (!map) Into(info.start, e.args[1], inside);
    info.result = Temporary();
    auto index = static_cast<uint32_t>(chunk_.folds.size());
    chunk_.folds.push_back(info);
    Emit(Code::kFold, dst, index);
    chunk_.folds[index].begin = Here();
    Into(info.result, body, inside);
    chunk_.folds[index].end = Here();
  }

  // Computes `expr` into register `dst`; `after` are the locals that are read later.
  void Into(uint32_t dst, const ExprRef& expr, const LocalSet& after) {
    const Expr& e = *expr;
    uint32_t mark = next_;
    switch (e.op) {
      case Op::kConst:
        Emit(Code::kConst, dst, Constant(e.constant));
        break;
      case Op::kLocal: {
        uint32_t take = after.contains(e.local) ? 0 : kTake;
        Emit(live_.IsParameter(expr) ? Code::kOption : Code::kMove, dst, e.local | take);
        break;
      }
      case Op::kLet: {
        LocalSet rest = live_.Uses(e.args[1]);
        rest.erase(e.local);
        Into(e.local, e.args[0], Liveness::Join(after, rest));
        Into(dst, e.args[1], after);
        break;
      }
      case Op::kIf:
        Branching(dst, e, after);
        break;
      case Op::kAnd:
      case Op::kOr: {
        uint32_t left = Operand(e.args[0], After(after, e.args[1]));
        uint32_t test = Emit(Code::kLogic, dst, left, e.op == Op::kOr ? 1 : 0);
        Into(dst, e.args[1], after);
        chunk_.code[test].z = Here();
        break;
      }
      case Op::kSome:
        Emit(Code::kSome, dst, Operand(e.args[0], after));
        break;
      case Op::kOrElse:
        OrElse(dst, e, after);
        break;
      case Op::kRecord:
      case Op::kCall:
        Sequence(dst, e, after);
        break;
      case Op::kMember:
        Emit(Code::kMember, dst, Operand(e.args[0], after), e.local);
        break;
      case Op::kSetFold:
      case Op::kSetMap:
      case Op::kMapFold:
      case Op::kListFold:
      case Op::kListMap:
        Fold(dst, expr, after);
        break;
      case Op::kOpaque:
        Emit(Code::kConst, dst, Constant(Value::Error("opaque")));
        break;
      case Op::kPrimitive:
        PrimitiveInto(dst, expr, after);
        break;
    }
    next_ = mark;
  }

  void PrimitiveInto(uint32_t dst, const ExprRef& expr, const LocalSet& after) {
    const Expr& e = *expr;
    if (live_.AsksPresence(expr)) {
      Emit(Code::kPresent, dst, e.args[0]->local, e.primitive == Primitive::kIsNone ? 1 : 0);
      return;
    }
    if (e.primitive == Primitive::kGetSome && live_.IsParameter(e.args[0])) {
      uint32_t local = e.args[0]->local;
      Place(Emit(Code::kGetParam, dst, local | (after.contains(local) ? 0 : kTake)), e);
      return;
    }
    std::vector<uint32_t> operands = Operands(e, after);
    operands.resize(3, 0);
    static constexpr Code kCodes[] = {Code::kPrimitive1, Code::kPrimitive2, Code::kPrimitive3};
    uint32_t at = Emit(kCodes[e.args.size() - 1], dst, operands[0], operands[1], operands[2]);
    chunk_.code[at].primitive = e.primitive;
    Place(at, e);
  }

  // Records and calls want their operands in neighbouring registers.
  void Sequence(uint32_t dst, const Expr& e, const LocalSet& after) {
    auto count = static_cast<uint32_t>(e.args.size());
    uint32_t first = next_;
    for (uint32_t i = 0; i < count; ++i) Temporary();
    for (uint32_t i = 0; i < count; ++i) {
      LocalSet rest = after;
      for (uint32_t j = i + 1; j < count; ++j) rest = After(rest, e.args[j]);
      Into(first + i, e.args[i], rest);
    }
    if (e.op == Op::kRecord) {
      chunk_.shapes.push_back(e.shape);
      Emit(Code::kRecord, dst, first, count, static_cast<uint32_t>(chunk_.shapes.size() - 1));
    } else {
      chunk_.callees.push_back(e.function.get());
      Emit(Code::kCall, dst, first, count, static_cast<uint32_t>(chunk_.callees.size() - 1));
    }
  }

  // The result position of a function that gives an Option: nothing is boxed.
  void Tail(const ExprRef& expr, const LocalSet& after) {
    const Expr& e = *expr;
    switch (e.op) {
      case Op::kConst:
        if (e.constant.tag() == Tag::kNone) {
          Emit(Code::kReturnNone);
          return;
        }
        break;
      case Op::kSome: {
        Emit(Code::kReturn, 0, Operand(e.args[0], after));
        return;
      }
      case Op::kLocal:
        if (live_.IsParameter(expr)) {
          Emit(Code::kReturnParam, 0, e.local);
          return;
        }
        break;
      case Op::kLet: {
        LocalSet rest = live_.Uses(e.args[1]);
        rest.erase(e.local);
        Into(e.local, e.args[0], rest);
        Tail(e.args[1], after);
        return;
      }
      case Op::kIf: {
        uint32_t condition = Operand(e.args[0], After(live_.Uses(e.args[1]), e.args[2]));
        uint32_t failed = Temporary();
        uint32_t branch = Emit(Code::kBranch, failed, condition);
        Tail(e.args[1], after);
        chunk_.code[branch].y = Here();
        Tail(e.args[2], after);
        chunk_.code[branch].z = Here();
        Emit(Code::kReturn, 0, failed | kTake);
        return;
      }
      default:
        break;
    }
    uint32_t option = Temporary();
    Into(option, expr, after);
    Emit(Code::kReturnOption, 0, option | kTake);
  }

  const Function& function_;
  Liveness live_;
  Chunk chunk_;
  uint32_t next_;
};

}  // namespace

std::vector<Value> NewRegisters(const Chunk& chunk) {
  std::vector<Value> registers(chunk.registers);
  registers.insert(registers.end(), chunk.constants.begin(), chunk.constants.end());
  return registers;
}

void Locate(const Chunk& chunk, uint32_t instruction, Value& value) {
  for (const auto& [at, place] : chunk.places) {
    if (at == instruction) Locate(value, place);
  }
}

Chunk CompileFunction(const Function& function, bool option_parameters, bool option_result) {
  return FunctionCompiler(function, option_parameters).Run(option_result);
}

}  // namespace heddle::stream
