#include "stream/run/executor.h"

namespace heddle::stream {
namespace {

Value Read(Value* registers, uint32_t operand) {
  if ((operand & kTake) != 0) return std::move(registers[operand & ~kTake]);
  return registers[operand];
}

// The common operations on integers and equality, without moving values about.
inline bool Quick(Primitive primitive, const Value& a, const Value& b, Value* dst) {
  if (a.tag() != Tag::kInt || b.tag() != Tag::kInt) return false;
  int64_t x = a.integer();
  int64_t y = b.integer();
  int64_t r;
  switch (primitive) {
    case Primitive::kAdd:
      if (__builtin_add_overflow(x, y, &r)) return false;
      *dst = Value::Int(r);
      return true;
    case Primitive::kSub:
      if (__builtin_sub_overflow(x, y, &r)) return false;
      *dst = Value::Int(r);
      return true;
    case Primitive::kEq:
      *dst = Value::Bool(x == y);
      return true;
    case Primitive::kNeq:
      *dst = Value::Bool(x != y);
      return true;
    case Primitive::kLt:
      *dst = Value::Bool(x < y);
      return true;
    case Primitive::kGt:
      *dst = Value::Bool(x > y);
      return true;
    case Primitive::kLeq:
      *dst = Value::Bool(x <= y);
      return true;
    case Primitive::kGeq:
      *dst = Value::Bool(x >= y);
      return true;
    default:
      return false;
  }
}

Value GetParameter(Value* registers, uint32_t operand, const uint8_t* present) {
  if (present[operand & ~kTake] == 0) return Value::Error("Tried get on None.");
  return Read(registers, operand);
}

}  // namespace

bool Executor::Run(const Chunk& chunk, Value* registers, const uint8_t* present, Value* result) {
  End end = Execute(chunk, 0, static_cast<uint32_t>(chunk.code.size()), registers, present, result);
  for (uint32_t i = 0; i < chunk.registers; ++i) {
    if (registers[i].tag() >= Tag::kError) registers[i] = Value();
  }
  return end == End::kValue;
}

Value Executor::CallFunction(const Function& function, Value* arguments, uint32_t count) {
  if (depth_ >= kMaxDepth) return Value::Error("Recursion too deep");
  auto& entry = compiled_[&function];
  if (!entry) entry = std::make_unique<Callee>(Callee{CompileFunction(function, false, false), {}});
  Callee& callee = *entry;
  std::vector<Value> registers;
  if (callee.free.empty()) {
    registers = NewRegisters(callee.chunk);
  } else {
    registers = std::move(callee.free.back());
    callee.free.pop_back();
  }
  for (uint32_t i = 0; i < count; ++i) registers[i] = std::move(arguments[i]);
  Value result;
  ++depth_;
  Run(callee.chunk, registers.data(), nullptr, &result);
  --depth_;
  callee.free.push_back(std::move(registers));
  return result;
}

void Executor::RunFold(const Chunk& chunk, const FoldInfo& fold, uint32_t dst, Value* registers,
                       const uint8_t* present) {
  Value collection = std::move(registers[fold.collection]);
  Value accumulator = std::move(registers[fold.start]);
  if (collection.is_error()) {
    registers[dst] = std::move(collection);
    return;
  }
  bool map = fold.op == Op::kSetMap || fold.op == Op::kListMap;
  if (map) accumulator = Value::Tree(fold.op == Op::kSetMap ? Tag::kSet : Tag::kList, nullptr);
  ForEachNode(collection.tree(), [&](TreeNode* node) {
    size_t at = 0;
    if (!map) registers[fold.locals[at++]] = std::move(accumulator);
    registers[fold.locals[at++]] = node->key;
    if (fold.op == Op::kMapFold) registers[fold.locals[at]] = node->value;
    Value unused;
    Execute(chunk, fold.begin, fold.end, registers, present, &unused);
    Value item = std::move(registers[fold.result]);
    if (map) {  // then it was not moved into a register above
      // NOLINTNEXTLINE(bugprone-use-after-move)
      accumulator = fold.op == Op::kSetMap ? Strict(primitive::SetAdd, std::move(accumulator), std::move(item))
                                           : Strict(primitive::ListAppend, std::move(accumulator), std::move(item));
    } else {
      accumulator = std::move(item);
    }
  });
  registers[dst] = std::move(accumulator);
}

Executor::End Executor::Execute(const Chunk& chunk, uint32_t at, uint32_t end, Value* registers, const uint8_t* present,
                                Value* result) {
  const Instruction* code = chunk.code.data();
  while (at < end) {
    const Instruction& i = code[at++];
    switch (i.code) {
      case Code::kConst:
        registers[i.dst] = chunk.constants[i.x];
        break;
      case Code::kMove:
        registers[i.dst] = Read(registers, i.x);
        break;
      case Code::kPresent:
        registers[i.dst] = Value::Bool((present[i.x] != 0) != (i.y != 0));
        break;
      case Code::kOption:
        registers[i.dst] = present[i.x & ~kTake] != 0 ? Value::Some(Read(registers, i.x)) : Value::None();
        break;
      case Code::kGetParam:
        registers[i.dst] = GetParameter(registers, i.x, present);
        if (registers[i.dst].is_error()) Locate(chunk, at - 1, registers[i.dst]);
        break;
      case Code::kBranch: {
        const Value& condition = registers[i.x & ~kTake];
        if (condition.is_error()) {
          registers[i.dst] = Read(registers, i.x);
          at = i.z;
        } else if (!condition.boolean()) {
          at = i.y;
        }
        break;
      }
      case Code::kOrElseParam:
        if (present[i.x & ~kTake] != 0) {
          registers[i.dst] = Read(registers, i.x);
          at = i.y;
        }
        break;
      case Code::kOrElse: {
        Value option = Read(registers, i.x);
        if (option.is_error()) {
          registers[i.dst] = std::move(option);
          at = i.y;
        } else if (option.tag() == Tag::kSome) {
          registers[i.dst] = option.array()->items()[0];
          at = i.y;
        }
        break;
      }
      case Code::kLogic: {
        Value left = Read(registers, i.x);
        bool stop = left.is_error() || left.boolean() == (i.y != 0);
        registers[i.dst] = std::move(left);
        if (stop) at = i.z;
        break;
      }
      case Code::kJump:
        at = i.x;
        break;
      case Code::kSome:
        registers[i.dst] = Value::Some(Read(registers, i.x));
        break;
      case Code::kRecord: {
        ArrayCell* cell = ArrayCell::Make(i.y, chunk.shapes[i.z]);
        for (uint32_t k = 0; k < i.y; ++k) cell->items()[k] = std::move(registers[i.x + k]);
        registers[i.dst] = Value::Array(Tag::kRecord, cell);
        break;
      }
      case Code::kMember: {
        Value record = Read(registers, i.x);
        registers[i.dst] = record.is_error() ? std::move(record) : Value(record.array()->items()[i.y]);
        break;
      }
      case Code::kCall:
        registers[i.dst] = CallFunction(*chunk.callees[i.z], registers + i.x, i.y);
        break;
      case Code::kFold: {
        const FoldInfo& fold = chunk.folds[i.x];
        RunFold(chunk, fold, i.dst, registers, present);
        at = fold.end;
        break;
      }
      case Code::kPrimitive1: {
        Value operands[1] = {Read(registers, i.x)};
        registers[i.dst] = Apply(i.primitive, operands);
        if (registers[i.dst].is_error()) Locate(chunk, at - 1, registers[i.dst]);
        break;
      }
      case Code::kPrimitive2: {
        if (Quick(i.primitive, registers[i.x & ~kTake], registers[i.y & ~kTake], &registers[i.dst])) break;
        Value operands[2] = {Read(registers, i.x), Value()};
        operands[1] = Read(registers, i.y);
        registers[i.dst] = Apply(i.primitive, operands);
        if (registers[i.dst].is_error()) Locate(chunk, at - 1, registers[i.dst]);
        break;
      }
      case Code::kPrimitive3: {
        Value operands[3] = {Read(registers, i.x), Value(), Value()};
        operands[1] = Read(registers, i.y);
        operands[2] = Read(registers, i.z);
        registers[i.dst] = Apply(i.primitive, operands);
        if (registers[i.dst].is_error()) Locate(chunk, at - 1, registers[i.dst]);
        break;
      }
      case Code::kReturn:
        *result = Read(registers, i.x);
        return End::kValue;
      case Code::kReturnNone:
        return End::kNone;
      case Code::kReturnParam:
        if (present[i.x] == 0) return End::kNone;
        *result = std::move(registers[i.x]);
        return End::kValue;
      case Code::kReturnOption: {
        Value option = Read(registers, i.x);
        if (option.tag() == Tag::kNone) return End::kNone;
        *result = option.is_error() ? std::move(option) : Value(option.array()->items()[0]);
        return End::kValue;
      }
    }
  }
  return End::kFell;
}

}  // namespace heddle::stream
