#include <algorithm>
#include <array>

#include "litmus/model/cat_parser_impl.h"

// Recursive descent. From loosest to tightest: | then ++ then ; then \ then & then * (product), then ~, then the
// postfix operators, then application by juxtaposition. A star is a product when an operand follows it.
namespace heddle::litmus {
namespace {

struct Level {
  std::string_view symbol;
  CatOp op;
  bool right;
};
constexpr std::array<Level, 6> kLevels = {{{"|", CatOp::kUnion, false},
                                           {"++", CatOp::kAdd, true},
                                           {";", CatOp::kSeq, true},
                                           {"\\", CatOp::kDiff, false},
                                           {"&", CatOp::kInter, true},
                                           {"*", CatOp::kProduct, false}}};
constexpr int kDeepest = 400;

CatExprPtr Make(CatOp op, Span span) {
  auto result = std::make_unique<CatExpr>();
  result->op = op;
  result->span = span;
  return result;
}

CatExprPtr Make(CatOp op, CatExprPtr a, CatExprPtr b) {
  auto result = Make(op, Span::Join(a->span, b->span));
  result->parts.push_back(std::move(a));
  result->parts.push_back(std::move(b));
  return result;
}

CatExprPtr Wrap(CatOp op, CatExprPtr a, Span span) {
  auto result = Make(op, Span::Join(a->span, span));
  result->parts.push_back(std::move(a));
  return result;
}

}  // namespace

bool CatParser::AtOperand() const {
  const CatToken& token = Peek();
  if (token.kind == CatTokenKind::kName) return !IsCatKeyword(token.text);
  if (token.kind == CatTokenKind::kTag) return true;
  if (token.kind != CatTokenKind::kSymbol) return false;
  return token.text == "(" || token.text == "[" || token.text == "{" || token.text == "0" || token.text == "_";
}

Result<CatExprPtr> CatParser::Expression() {
  if (++depth_ > kDeepest) return Wrong(Peek(), "this expression is nested too deeply");
  Result<CatExprPtr> result = [&]() -> Result<CatExprPtr> {
    if (AtWord("let")) return LetIn();
    if (AtWord("match")) return Match();
    if (AtWord("fun")) return Function();
    if (AtWord("try")) return Try();
    if (AtWord("if")) return If();
    return Binary(0);
  }();
  --depth_;
  return result;
}

Result<CatExprPtr> CatParser::Binary(int level) {
  if (level == static_cast<int>(kLevels.size())) return Unary();
  const Level& here = kLevels[static_cast<size_t>(level)];
  Result<CatExprPtr> left = Binary(level + 1);
  if (!left) return left;
  while (AtSymbol(here.symbol)) {
    ++at_;
    if (++depth_ > kDeepest) return Wrong(Peek(), "this expression is nested too deeply");
    bool block = AtWord("let") || AtWord("match") || AtWord("fun") || AtWord("try") || AtWord("if");
    Result<CatExprPtr> right = block ? Expression() : Binary(here.right ? level : level + 1);
    if (!right) return right;
    left = Make(here.op, std::move(*left), std::move(*right));
    --depth_;
  }
  return left;
}

Result<CatExprPtr> CatParser::Unary() {
  if (!AtSymbol("~")) return Postfix();
  Span span = Peek().span;
  ++at_;
  if (++depth_ > kDeepest) return Wrong(Peek(), "this expression is nested too deeply");
  Result<CatExprPtr> operand = Unary();
  --depth_;
  if (!operand) return operand;
  auto result = Make(CatOp::kNot, Span::Join(span, (*operand)->span));
  result->parts.push_back(std::move(*operand));
  return result;
}

Result<CatExprPtr> CatParser::Postfix() {
  Result<CatExprPtr> result = Application();
  if (!result) return result;
  while (Peek().kind == CatTokenKind::kSymbol) {
    const std::string& text = Peek().text;
    Span span = Peek().span;
    CatOp op;
    if (text == "^-1" || text == "-1") {
      op = CatOp::kInverse;
    } else if (text == "^+" || text == "+") {
      op = CatOp::kPlus;
    } else if (text == "^*") {
      op = CatOp::kStar;
    } else if (text == "?" || text == "^?") {
      op = CatOp::kOption;
    } else if (text == "*") {
      ++at_;
      bool product = AtOperand() || AtSymbol("~");
      --at_;
      if (product) break;
      op = CatOp::kStar;
    } else {
      break;
    }
    ++at_;
    result = Wrap(op, std::move(*result), span);
  }
  return result;
}

Result<CatExprPtr> CatParser::Application() {
  Result<CatExprPtr> result = Simple();
  if (!result) return result;
  while (AtOperand()) {
    Result<CatExprPtr> argument = Simple();
    if (!argument) return argument;
    result = Make(CatOp::kApply, std::move(*result), std::move(*argument));
  }
  return result;
}

Result<CatExprPtr> CatParser::Simple() {
  const CatToken token = Peek();
  if (token.kind == CatTokenKind::kTag) {
    ++at_;
    auto result = Make(CatOp::kTag, token.span);
    result->name = token.text;
    return result;
  }
  if (token.kind == CatTokenKind::kName && !IsCatKeyword(token.text)) {
    ++at_;
    auto result = Make(token.text == "_" ? CatOp::kUniverse : CatOp::kName, token.span);
    result->name = token.text;
    return result;
  }
  if (TakeSymbol("0")) return Make(CatOp::kEmpty, token.span);
  if (AtSymbol("(")) return Parenthesised();
  if (AtSymbol("{")) return SetLiteral();
  if (TakeSymbol("[")) {
    Result<CatExprPtr> inner = Expression();
    if (!inner) return inner;
    Span end = Peek().span;
    if (Status status = NeedSymbol("]", "after `[` and a set"); !status) return status.error();
    auto result = Make(CatOp::kIdentity, Span::Join(token.span, end));
    result->parts.push_back(std::move(*inner));
    return result;
  }
  return Wrong(token, "expected a set or a relation, found " + Shown(token));
}

Result<CatExprPtr> CatParser::Parenthesised() {
  Span begin = Peek().span;
  ++at_;
  std::vector<CatExprPtr> parts;
  while (!AtSymbol(")")) {
    Result<CatExprPtr> part = Expression();
    if (!part) return part;
    parts.push_back(std::move(*part));
    if (!TakeSymbol(",")) break;
  }
  Span end = Peek().span;
  if (Status status = NeedSymbol(")", "to close the parenthesis"); !status) return status.error();
  if (parts.size() == 1) return std::move(parts[0]);
  auto result = Make(CatOp::kTuple, Span::Join(begin, end));
  result->parts = std::move(parts);
  return result;
}

Result<CatExprPtr> CatParser::SetLiteral() {
  Span begin = Peek().span;
  ++at_;
  auto result = Make(CatOp::kSetOf, begin);
  while (!AtSymbol("}")) {
    Result<CatExprPtr> part = Expression();
    if (!part) return part;
    result->parts.push_back(std::move(*part));
    if (!TakeSymbol(",")) break;
  }
  result->span = Span::Join(begin, Peek().span);
  if (Status status = NeedSymbol("}", "to close the set"); !status) return status.error();
  if (result->parts.empty()) result->op = CatOp::kEmpty;
  return CatExprPtr(std::move(result));
}

Result<CatExprPtr> CatParser::LetIn() {
  Span begin = Peek().span;
  ++at_;
  auto result = Make(TakeWord("rec") ? CatOp::kLetRec : CatOp::kLet, begin);
  Result<std::vector<CatBinding>> bindings = Bindings();
  if (!bindings) return bindings.error();
  result->bindings = std::move(*bindings);
  if (Status status = NeedWord("in", "after the definitions of `let`"); !status) return status.error();
  Result<CatExprPtr> body = Expression();
  if (!body) return body;
  result->span = Span::Join(begin, (*body)->span);
  result->parts.push_back(std::move(*body));
  return CatExprPtr(std::move(result));
}

Result<CatExprPtr> CatParser::Function() {
  Span begin = Peek().span;
  ++at_;
  Result<std::vector<std::string>> pattern = Pattern();
  if (!pattern) return pattern.error();
  if (Status status = NeedSymbol("->", "after the parameter of `fun`"); !status) return status.error();
  Result<CatExprPtr> body = Expression();
  if (!body) return body;
  auto result = Make(CatOp::kFunction, Span::Join(begin, (*body)->span));
  result->pattern = std::move(*pattern);
  result->parts.push_back(std::move(*body));
  return CatExprPtr(std::move(result));
}

Result<CatExprPtr> CatParser::Try() {
  Span begin = Peek().span;
  ++at_;
  Result<CatExprPtr> first = Expression();
  if (!first) return first;
  if (Status status = NeedWord("with", "after `try` and an expression"); !status) return status.error();
  Result<CatExprPtr> second = Expression();
  if (!second) return second;
  auto result = Make(CatOp::kTry, std::move(*first), std::move(*second));
  result->span = Span::Join(begin, result->span);
  return CatExprPtr(std::move(result));
}

Result<CatExprPtr> CatParser::If() {
  Span begin = Peek().span;
  ++at_;
  Result<bool> on = Variants();
  if (!on) return on.error();
  if (Status status = NeedWord("then", "after the variant"); !status) return status.error();
  Result<CatExprPtr> yes = Expression();
  if (!yes) return yes;
  if (Status status = NeedWord("else", "after the first branch of `if`"); !status) return status.error();
  Result<CatExprPtr> no = Expression();
  if (!no) return no;
  CatExprPtr& chosen = *on ? *yes : *no;
  chosen->span = Span::Join(begin, chosen->span);
  return std::move(chosen);
}

// "a", not "a", "a" && "b", "a" || "b" and parentheses: whether the variants are on. && binds tighter.
Result<bool> CatParser::Variants() {
  bool any = false;
  do {
    bool all = true;
    do {
      bool negated = false;
      while (TakeSymbol("~") || TakeWord("not")) negated = !negated;
      bool on = false;
      if (TakeSymbol("(")) {
        if (++depth_ > kDeepest) return Wrong(Peek(), "nested too deeply");
        Result<bool> inner = Variants();
        if (!inner) return inner;
        --depth_;
        on = *inner;
        if (Status status = NeedSymbol(")", "after the variants"); !status) return status.error();
      } else {
        if (Peek().kind != CatTokenKind::kString) {
          return Wrong(Peek(), "expected the name of a variant in quotes after `if`");
        }
        const auto& variants = shared_.search.variants;
        on = std::find(variants.begin(), variants.end(), tokens_[at_++].text) != variants.end();
      }
      all = all && on != negated;
    } while (TakeSymbol("&&"));
    any = any || all;
  } while (TakeSymbol("||"));
  return any;
}

Result<CatExprPtr> CatParser::Match() {
  Span begin = Peek().span;
  ++at_;
  Result<CatExprPtr> value = Expression();
  if (!value) return value;
  if (Status status = NeedWord("with", "after `match` and an expression"); !status) return status.error();
  auto result = Make(CatOp::kMatchTags, begin);
  result->parts.push_back(std::move(*value));
  TakeSymbol("||");
  CatExprPtr empty;
  CatExprPtr more;
  do {
    CatClause clause;
    bool set_clause = false;
    bool is_empty = false;
    if (AtSymbol("{")) {
      ++at_;
      if (Status status = NeedSymbol("}", "in the pattern of an empty set"); !status) return status.error();
      set_clause = is_empty = true;
    } else if (Peek().kind == CatTokenKind::kTag) {
      clause.tag = Peek().text;
      ++at_;
    } else {
      Result<std::string> name = NeedName("a pattern: {}, e ++ S, a tag or _");
      if (!name) return name.error();
      if (TakeSymbol("++")) {
        Result<std::string> rest = NeedName("the name of the rest of the set");
        if (!rest) return rest.error();
        result->pattern = {*name, *rest};
        set_clause = true;
      }
    }
    if (Status status = NeedSymbol("->", "after a pattern"); !status) return status.error();
    Result<CatExprPtr> body = Expression();
    if (!body) return body;
    if (set_clause) {
      result->op = CatOp::kMatchSet;
      (is_empty ? empty : more) = std::move(*body);
    } else {
      clause.body = std::move(*body);
      result->clauses.push_back(std::move(clause));
    }
  } while (TakeSymbol("||"));
  result->span = Span::Join(begin, Peek().span);
  if (Status status = NeedWord("end", "to close `match`"); !status) return status.error();
  if (result->op == CatOp::kMatchSet) {
    if (!empty || !more) {
      return Wrong(tokens_[at_ - 1], "a match on a set needs the two clauses {} and e ++ S");
    }
    result->parts.push_back(std::move(empty));
    result->parts.push_back(std::move(more));
  }
  return CatExprPtr(std::move(result));
}

}  // namespace heddle::litmus
