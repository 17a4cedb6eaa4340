#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "stream/syntax/parser_base.h"

namespace heddle::stream {

using syntax::Expr;
using syntax::ExprPtr;
using Kind = syntax::Expr::Kind;

namespace {

// Binary operators, loosest first; all associate to the left.
constexpr std::array<std::array<std::string_view, 10>, 8> kLevels = {{
    {"||"},
    {"&&"},
    {"==", "!=", "<", ">", "<=", ">=", "<.", ">.", "<=.", ">=."},
    {"|", "^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-", "+.", "-."},
    {"*", "/", "%", "*.", "/."},
}};

// What the library calls them; && and || are lazy and stay with the elaborator.
constexpr std::pair<std::string_view, std::string_view> kOperatorNames[] = {
    {"+", "__add__"},        {"-", "__sub__"},          {"*", "__mul__"},      {"/", "__div__"},
    {"%", "__mod__"},        {"&", "__bitand__"},       {"|", "__bitor__"},    {"^", "__bitxor__"},
    {"<<", "__leftshift__"}, {">>", "__rightshift__"},  {"<", "__lt__"},       {">", "__gt__"},
    {"<=", "__leq__"},       {">=", "__geq__"},         {"+.", "__fadd__"},    {"-.", "__fsub__"},
    {"*.", "__fmul__"},      {"/.", "__fdiv__"},        {"<.", "__flt__"},     {">.", "__fgt__"},
    {"<=.", "__fleq__"},     {">=.", "__fgeq__"},       {"==", "__eq__"},      {"!=", "__neq__"},
    {"unary-", "__neg__"},   {"unary~", "__bitflip__"}, {"unary!", "__not__"}, {"unary-.", "__fneg__"},
};

std::string OperatorName(std::string op) {
  for (const auto& [text, name] : kOperatorNames) {
    if (text == op) return std::string(name);
  }
  return op;
}

constexpr std::array<std::string_view, 10> kUnits = {"fs", "ps", "ns", "us", "µs", "ms", "s", "min", "h", "d"};
constexpr std::array<std::string_view, 19> kReserved = {
    "def", "where",  "include", "type", "module", "import", "extern", "strict",   "lazy",    "in",
    "out", "static", "if",      "then", "else",   "return", "as",     "liftable", "__root__"};

bool Contains(std::span<const std::string_view> words, std::string_view word) {
  return !word.empty() && std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool IsReserved(std::string_view word) { return Contains(kReserved, word); }

ExprPtr Parser::Make(Kind kind, Span span) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->span = span;
  return expr;
}

ExprPtr Parser::OperatorCall(const Token& op, std::string name, std::vector<ExprPtr> operands) const {
  Span span = op.span;
  for (const ExprPtr& operand : operands) span = Span::Join(span, operand->span);
  auto call = Make(Kind::kCall, span);
  auto callee = Make(Kind::kName, op.span);
  callee->name = OperatorName(std::move(name));
  call->args.push_back(std::move(callee));
  for (ExprPtr& operand : operands) {
    call->args.push_back(std::move(operand));
    call->names.emplace_back();
  }
  return call;
}

ExprPtr Parser::Expression() {
  ++depth_;
  ExprPtr result;
  if (!TooDeep()) {
    if (Is("if")) {
      result = Conditional(false);
    } else if (Is("static") && Is("if", 1)) {
      Next();
      result = Conditional(true);
    } else if (Is("fun") && Is("(", 1)) {
      Uses(syntax::Feature::kFun, Next().span);
      result = Lambda();
    } else if (Is("(") && LooksLikeLambda()) {
      result = Lambda();
    } else {
      result = Binary(0);
    }
  }
  --depth_;
  return result;
}

ExprPtr Parser::Conditional(bool is_static) {
  Span begin = Next().span;
  auto expr = Make(is_static ? Kind::kStaticIf : Kind::kIf, begin);
  auto part = [&] {
    ExprPtr e = Expression();
    if (e != nullptr) expr->args.push_back(std::move(e));
    return !expr->args.empty();
  };
  if (!part() || !Expect("then", "after the condition")) return nullptr;
  part();
  // Without `else` only in the older language: the elaborator says so when it is not.
  if (Accept("else")) {
    part();
  } else if (!is_static) {
    Uses(syntax::Feature::kIfWithoutElse, begin);
  }
  expr->span = SpanFrom(begin);
  return expr->args.size() >= 2 ? std::move(expr) : nullptr;
}

ExprPtr Parser::Binary(int level) {
  if (level == static_cast<int>(kLevels.size())) return Unary();
  ExprPtr left = Binary(level + 1);
  while (left != nullptr && Peek().kind == Token::Kind::kSymbol && SameLine() &&
         Contains(kLevels[static_cast<size_t>(level)], Peek().text)) {
    Token op = Next();
    ExprPtr right = Is("if") || Is("static") ? Expression() : Binary(level + 1);
    if (right == nullptr) return nullptr;
    std::vector<ExprPtr> operands;
    operands.push_back(std::move(left));
    operands.push_back(std::move(right));
    left = OperatorCall(op, std::string(op.text), std::move(operands));
  }
  return left;
}

ExprPtr Parser::Unary() {
  if (!Is("!") && !Is("~") && !Is("-") && !Is("-.")) return Postfix();
  ++depth_;
  Token op = Next();
  ExprPtr operand = TooDeep() ? nullptr : Unary();
  --depth_;
  if (operand == nullptr) return nullptr;
  if (op.text == "-" && operand->kind == Kind::kFloat) {
    operand->real = -operand->real;
    return operand;
  }
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(operand));
  return OperatorCall(op, "unary" + std::string(op.text), std::move(operands));
}

ExprPtr Parser::Postfix() {
  ExprPtr expr = Atom();
  while (expr != nullptr && SameLine()) {
    if (Is("(") || (Is("[") && expr->kind != Kind::kInt)) {
      auto call = Make(Kind::kCall, expr->span);
      if (Accept("[")) {
        do call->type_args.push_back(ParseType());
        while (Accept(","));
        Expect("]", "after the type arguments");
      }
      call->args.push_back(std::move(expr));
      if (Is("(")) {
        CallArguments(*call);
      } else {
        call->kind = Kind::kInstantiate;
      }
      call->span = SpanFrom(call->span);
      expr = std::move(call);
    } else if (Is(".") && Peek(1).kind == Token::Kind::kName) {
      auto member = Make(Kind::kMember, expr->span);
      Next();
      member->name = std::string(Next().text);
      member->span = SpanFrom(expr->span);
      member->args.push_back(std::move(expr));
      expr = std::move(member);
    } else {
      break;
    }
  }
  return expr;
}

void Parser::CallArguments(Expr& call) {
  Next();
  bool saved = std::exchange(newlines_ignored_, true);
  while (!Is(")") && !AtEnd()) {
    std::string name;
    if (Peek().kind == Token::Kind::kName && Is("=", 1)) {
      name = std::string(Next().text);
      Next();
    }
    ExprPtr argument = Expression();
    if (argument == nullptr) break;
    call.args.push_back(std::move(argument));
    call.names.push_back(std::move(name));
    if (!Accept(",")) break;
  }
  newlines_ignored_ = saved;
  Expect(")", "after the arguments");
}

ExprPtr Parser::Atom() {
  const Token& token = Peek();
  switch (token.kind) {
    case Token::Kind::kInt:
    case Token::Kind::kFloat:
      return NumberAtom();
    case Token::Kind::kString:
      return StringAtom();
    case Token::Kind::kName: {
      if ((token.text == "extern" || token.text == "__builtin__") && Is("(", 1)) return ExternAtom();
      if (Contains(kReserved, token.text) && token.text != "__root__") break;
      auto name = Make(Kind::kName, token.span);
      name->name = std::string(token.text);
      Next();
      return name;
    }
    case Token::Kind::kSymbol:
      if (token.text == "(") return Parenthesised();
      if (token.text == "{") return Braced();
      if (token.text == "${") return RecordLiteral();
      break;
    case Token::Kind::kEnd:
      break;
  }
  std::string found = AtEnd() ? "the end of the file" : fmt::format("`{}`", token.text);
  Report(token.span, fmt::format("expected an expression, found {}", found));
  return nullptr;
}

ExprPtr Parser::NumberAtom() {
  const Token& token = Next();
  auto number = Make(token.kind == Token::Kind::kInt ? Kind::kInt : Kind::kFloat, token.span);
  number->integer = token.integer;
  number->real = token.real;
  if (token.kind == Token::Kind::kInt && Peek().kind == Token::Kind::kName && !Peek().newline_before &&
      !Contains(kReserved, Peek().text)) {
    if (!Contains(kUnits, Peek().text)) {
      Report(Peek().span, fmt::format("unknown time unit `{}`", Peek().text), "units: fs ps ns us ms s min h d");
    }
    number->kind = Kind::kTime;
    number->name = std::string(Next().text);
    number->span = SpanFrom(number->span);
  }
  return number;
}

ExprPtr Parser::StringAtom() {
  const Token token = Next();
  auto string = Make(Kind::kString, token.span);
  for (const Token::Piece& piece : token.pieces) {
    syntax::StringPart part;
    part.text = piece.text;
    part.format = piece.format;
    if (piece.is_expr) {
      Parser inner(sources_, piece.expr, diagnostics_);
      inner.depth_ = depth_ + 1;
      inner.newlines_ignored_ = true;
      part.expr = inner.Expression();
      if (part.expr != nullptr && !inner.AtEnd())
        inner.Report(inner.Peek().span, "expected the end of the interpolation");
      if (part.expr == nullptr) continue;
    } else if (piece.text.empty() && token.pieces.size() > 1) {
      continue;
    }
    string->parts.push_back(std::move(part));
  }
  return string;
}

ExprPtr Parser::ExternAtom() {
  Span begin = Next().span;
  auto expr = Make(Kind::kExtern, begin);
  --at_;
  expr->name = ExternName();
  if (tokens_[at_ - 1].text == ",") {
    // What it is when the engine does not have it.
    ExprPtr otherwise = Expression();
    if (otherwise != nullptr) expr->args.push_back(std::move(otherwise));
    Expect(")", "after the definition");
  }
  expr->span = SpanFrom(begin);
  return expr;
}

// extern("name"), or __builtin__(name) of TeSSLa 1.0; ends after `)` or, when more follows, after `,`.
std::string Parser::ExternName() {
  Uses(Is("extern") ? syntax::Feature::kExtern : syntax::Feature::kBuiltin, Peek().span);
  bool quoted = Next().text == "extern";
  std::string name;
  Expect("(", "after `extern`");
  if (quoted && Peek().kind == Token::Kind::kString && Peek().pieces.size() == 1) {
    name = Next().pieces[0].text;
  } else if (!quoted) {
    name = Name("the name of a builtin");
  } else {
    Report(Peek().span, "expected a name in quotes");
  }
  if (!Accept(",")) Expect(")", "after the name");
  return name;
}

// Looks past the matching parenthesis for `=>`.
bool Parser::LooksLikeLambda() const {
  int depth = 0;
  for (size_t i = 0; at_ + i < tokens_.size(); ++i) {
    if (Peek(i).kind == Token::Kind::kEnd) return false;
    if (Is("(", i) || Is("[", i) || Is("{", i) || Is("${", i)) ++depth;
    if (Is(")", i) || Is("]", i) || Is("}", i)) --depth;
    if (depth == 0) return Is("=>", i + 1);
  }
  return false;
}

ExprPtr Parser::Lambda() {
  Span begin = Next().span;
  auto lambda = Make(Kind::kLambda, begin);
  lambda->parameters = Parameters(")");
  Expect("=>", "after the parameters of the function");
  ExprPtr body = Expression();
  if (body == nullptr) return nullptr;
  lambda->args.push_back(std::move(body));
  lambda->span = SpanFrom(begin);
  return lambda;
}

ExprPtr Parser::Parenthesised() {
  Span begin = Next().span;
  bool saved = std::exchange(newlines_ignored_, true);
  auto tuple = Make(Kind::kTuple, begin);
  bool comma = false;
  while (!Is(")") && !AtEnd()) {
    ExprPtr item = Expression();
    if (item == nullptr) break;
    tuple->args.push_back(std::move(item));
    comma = Accept(",");
    if (!comma) break;
  }
  newlines_ignored_ = saved;
  bool closed = Expect(")", "to close `(`");
  tuple->span = SpanFrom(begin);
  if (tuple->args.size() == 1 && !comma) {
    tuple->args[0]->span = tuple->span;
    return std::move(tuple->args[0]);
  }
  return closed || !tuple->args.empty() ? std::move(tuple) : nullptr;
}

// `{x = 1, y}` is a record, `{}` is unit, anything else is a block.
ExprPtr Parser::Braced() {
  if (Is("}", 1) || (Peek(1).kind == Token::Kind::kName && (Is("=", 2) || Is(":", 2) || Is(",", 2)))) {
    return RecordLiteral();
  }
  Span begin = Next().span;
  bool saved = std::exchange(newlines_ignored_, false);
  auto block = Make(Kind::kBlock, begin);
  while (AtDefinition()) block->definitions.push_back(ParseDefinition({}));
  Accept("return");
  ExprPtr result = Expression();
  if (result != nullptr) block->args.push_back(std::move(result));
  Accept(";");
  newlines_ignored_ = saved;
  bool closed = Expect("}", "at the end of the block");
  block->span = SpanFrom(begin);
  return closed && !block->args.empty() ? std::move(block) : nullptr;
}

// After `name :` of a record: whether a type and `=` follow, and not a value.
bool Parser::AtTypedMember() const {
  int depth = 0;
  for (size_t i = 0; Peek(i).kind != Token::Kind::kEnd; ++i) {
    if (Is("(", i) || Is("[", i) || Is("{", i)) ++depth;
    if (Is(")", i) || Is("]", i) || Is("}", i)) --depth;
    if (depth < 0 || (depth == 0 && Is(",", i))) return false;
    if (depth == 0 && (Is("=", i) || Is(":=", i))) return true;
  }
  return false;
}

// Up to 0.7 a member could have a type, `${x: Events[Int] = e}`; members are definitions then and see each other.
ExprPtr Parser::RecordLiteral() {
  Span begin = Next().span;
  auto record = Make(Kind::kRecord, begin);
  std::vector<std::unique_ptr<syntax::TypeExpr>> types;
  std::vector<bool> named_only;
  bool saved = std::exchange(newlines_ignored_, true);
  while (!Is("}") && !AtEnd()) {
    Span name_span = Peek().span;
    std::string name = Name("the name of a member");
    std::unique_ptr<syntax::TypeExpr> type;
    bool colon = Accept(":");
    if (colon && AtTypedMember()) type = ParseType();
    bool equals = (!colon || type) && (Accept("=") || Accept(":="));
    ExprPtr value;
    if (colon || equals) {
      value = Expression();
    } else {
      value = Make(Kind::kName, name_span);
      value->name = name;
    }
    if (value == nullptr) break;
    record->names.push_back(std::move(name));
    record->args.push_back(std::move(value));
    types.push_back(std::move(type));
    named_only.push_back(!colon && !equals);
    if (!Accept(",")) break;
  }
  newlines_ignored_ = saved;
  Expect("}", "at the end of the record");
  record->span = SpanFrom(begin);
  if (std::none_of(types.begin(), types.end(), [](const auto& type) { return type != nullptr; })) return record;
  auto block = Make(Kind::kBlock, record->span);
  for (size_t i = 0; i < record->args.size(); ++i) {
    if (named_only[i]) continue;
    auto member = std::make_unique<syntax::Definition>();
    member->name = record->names[i];
    member->span = member->name_span = record->args[i]->span;
    member->result = std::move(types[i]);
    auto name = Make(Kind::kName, member->span);
    name->name = member->name;
    member->body = std::exchange(record->args[i], std::move(name));
    block->definitions.push_back(std::move(member));
  }
  block->args.push_back(std::move(record));
  return block;
}

}  // namespace heddle::stream
