#include "stream/core/evaluate.h"

namespace heddle::stream {

Value Evaluator::Call(const Function& function, std::vector<Value> arguments) {
  if (calls_ >= kMaxCalls || function.body == nullptr) return Value::Error(kTooLong);
  ++calls_;
  arguments.resize(std::max<size_t>(function.locals, arguments.size()));
  Value result = Run(function.body, arguments);
  --calls_;
  return result;
}

Value Evaluator::Fold(const Expr& expr, std::vector<Value>& locals) {
  Value collection = Run(expr.args[0], locals);
  if (collection.is_error()) return collection;
  Value accumulator = Run(expr.args[1], locals);
  ForEachNode(collection.tree(), [&](TreeNode* node) {
    locals[expr.locals[0]] = accumulator;
    locals[expr.locals[1]] = node->key;
    if (expr.op == Op::kMapFold) locals[expr.locals[2]] = node->value;
    accumulator = Run(expr.args[2], locals);
  });
  return accumulator;
}

Value Evaluator::Map(const Expr& expr, std::vector<Value>& locals) {
  Value collection = Run(expr.args[0], locals);
  if (collection.is_error()) return collection;
  bool set = expr.op == Op::kSetMap;
  Value result = Value::Tree(set ? Tag::kSet : Tag::kList, nullptr);
  ForEachNode(collection.tree(), [&](TreeNode* node) {
    locals[expr.locals[0]] = node->key;
    Value item = Run(expr.args[1], locals);
    Value pair[2] = {std::move(result), std::move(item)};
    result = Apply(set ? Primitive::kSetAdd : Primitive::kListAppend, pair);
  });
  return result;
}

Value Evaluator::Run(const ExprRef& expr, std::vector<Value>& locals) {
  if (fuel_ == 0) return Value::Error(kTooLong);
  --fuel_;
  const Expr& e = *expr;
  switch (e.op) {
    case Op::kConst:
      return e.constant;
    case Op::kLocal:
      return locals[e.local];
    case Op::kLet:
      locals[e.local] = Run(e.args[0], locals);
      return Run(e.args[1], locals);
    case Op::kIf: {
      Value condition = Run(e.args[0], locals);
      if (condition.is_error()) return condition;
      return Run(e.args[condition.boolean() ? 1 : 2], locals);
    }
    case Op::kAnd:
    case Op::kOr: {
      Value left = Run(e.args[0], locals);
      if (left.is_error() || left.boolean() == (e.op == Op::kOr)) return left;
      return Run(e.args[1], locals);
    }
    case Op::kSome:
      return Value::Some(Run(e.args[0], locals));
    case Op::kOrElse: {
      Value option = Run(e.args[0], locals);
      if (option.is_error()) return option;
      return option.tag() == Tag::kSome ? option.array()->items()[0] : Run(e.args[1], locals);
    }
    case Op::kRecord: {
      Value record = Value::Array(Tag::kRecord, ArrayCell::Make(static_cast<uint32_t>(e.args.size()), e.shape));
      for (size_t i = 0; i < e.args.size(); ++i) record.array()->items()[i] = Run(e.args[i], locals);
      return record;
    }
    case Op::kMember: {
      Value record = Run(e.args[0], locals);
      return record.is_error() ? record : record.array()->items()[e.local];
    }
    case Op::kCall: {
      std::vector<Value> arguments;
      arguments.reserve(e.args.size());
      for (const ExprRef& arg : e.args) arguments.push_back(Run(arg, locals));
      return Call(*e.function, std::move(arguments));
    }
    case Op::kSetFold:
    case Op::kMapFold:
    case Op::kListFold:
      return Fold(e, locals);
    case Op::kSetMap:
    case Op::kListMap:
      return Map(e, locals);
    case Op::kOpaque:
      return Value::Error("opaque");
    case Op::kPrimitive:
      break;
  }
  Value operands[3];
  for (size_t i = 0; i < e.args.size(); ++i) operands[i] = Run(e.args[i], locals);
  return Apply(e.primitive, operands);
}

}  // namespace heddle::stream
