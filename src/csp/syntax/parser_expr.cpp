// Values: everything that binds at least as tightly as `.`.
#include <fmt/format.h>

#include "csp/syntax/parser_impl.h"

namespace heddle::csp {

Expr* Parser::Dots() {
  Expr* first = Or();
  if (!Is(Tok::kDot)) return first;
  std::vector<Expr*> parts{first};
  while (Accept(Tok::kDot)) parts.push_back(Or());
  Span span = Span::Join(first->span, parts.back()->span);
  return New(Op::kDot, span, std::move(parts));
}

Expr* Parser::Or() {
  Expr* left = And();
  while (Accept(Tok::kOr)) left = Binary(Op::kOr, left, And());
  return left;
}

Expr* Parser::And() {
  Expr* left = Not();
  while (Accept(Tok::kAnd)) left = Binary(Op::kAnd, left, Not());
  return left;
}

Expr* Parser::Not() {
  if (!Is(Tok::kNot)) return Comparison();
  Span begin = Take().span;
  Enter();
  Expr* operand = Not();
  --nesting_;
  return New(Op::kNot, Span::Join(begin, operand->span), {operand});
}

bool Parser::AtSequenceEnd() const { return sequence_depth_ > 0 && Is(Tok::kGt); }

Expr* Parser::Comparison() {
  Expr* left = Sum();
  while (true) {
    Op op;
    switch (Now().kind) {
      case Tok::kEq:
        op = Op::kEq;
        break;
      case Tok::kNe:
        op = Op::kNe;
        break;
      case Tok::kLe:
        op = Op::kLe;
        break;
      case Tok::kGe:
        op = Op::kGe;
        break;
      case Tok::kLt:
        if (EndsHere()) return left;
        op = Op::kLt;
        break;
      case Tok::kGt:
        if (AtSequenceEnd()) return left;
        op = Op::kGt;
        break;
      default:
        return left;
    }
    Take();
    left = Binary(op, left, Sum());
  }
}

Expr* Parser::Sum() {
  Expr* left = Product();
  while (Is(Tok::kPlus) || Is(Tok::kMinus)) {
    Op op = Take().kind == Tok::kPlus ? Op::kAdd : Op::kSub;
    left = Binary(op, left, Product());
  }
  return left;
}

Expr* Parser::Product() {
  Expr* left = LengthOf();
  while (Is(Tok::kStar) || Is(Tok::kSlash) || Is(Tok::kPercent)) {
    Tok kind = Take().kind;
    Op op = kind == Tok::kStar ? Op::kMul : kind == Tok::kSlash ? Op::kDiv : Op::kMod;
    left = Binary(op, left, LengthOf());
  }
  return left;
}

Expr* Parser::LengthOf() {
  if (!Is(Tok::kHash) && !Is(Tok::kMinus)) return Concat();
  Span begin = Here();
  Op op = Take().kind == Tok::kHash ? Op::kLength : Op::kNeg;
  Enter();
  Expr* operand = LengthOf();
  --nesting_;
  return New(op, From(begin), {operand});
}

Expr* Parser::Concat() {
  Expr* left = Postfix();
  while (Accept(Tok::kCaret)) left = Binary(Op::kConcat, left, Postfix());
  if (!Is(Tok::kAtAt)) return left;
  Take();
  Expr* right = Concat();
  return Binary(Op::kBothPatterns, left, right);
}

Expr* Parser::Postfix() {
  Expr* left = Atom();
  while (true) {
    if (Is(Tok::kLParen) && !EndsHere()) {
      Take();
      Expr* call = New(Op::kApply, left->span, {left});
      Nested inside(*this, depth_ + 1, 0);
      if (!Is(Tok::kRParen)) {
        do call->kids.push_back(Expression());
        while (Accept(Tok::kComma));
      }
      Expect(Tok::kRParen, "to close the arguments");
      call->span = From(left->span);
      left = call;
    } else if (Is(Tok::kLRename)) {
      left = Renaming(left);
    } else {
      return left;
    }
  }
}

Expr* Parser::Atom() {
  Span begin = Here();
  switch (Now().kind) {
    case Tok::kNumber: {
      Expr* e = New(Op::kInt, begin);
      e->number = Take().number;
      return e;
    }
    case Tok::kChar: {
      Expr* e = New(Op::kChar, begin);
      e->number = Take().number;
      return e;
    }
    case Tok::kString: {
      Expr* e = New(Op::kString, begin);
      e->text = Take().text;
      return e;
    }
    case Tok::kTrue:
    case Tok::kFalse: {
      Expr* e = New(Op::kBool, begin);
      e->number = Take().kind == Tok::kTrue ? 1 : 0;
      return e;
    }
    case Tok::kName:
      return QualifiedName(begin);
    case Tok::kUnderscore:
      Take();
      return New(Op::kWildcard, begin);
    case Tok::kLParen:
      return Parenthesised();
    case Tok::kLt:
    case Tok::kBackArrow:
      return Sequenced();
    case Tok::kLBrace:
      return Braced();
    case Tok::kLChan:
      return ChannelSet();
    case Tok::kLMap:
      return MapLiteral();
    case Tok::kHide:
      return Lambda();
    case Tok::kIf:
      return If();
    case Tok::kLet:
      return Let();
    case Tok::kExt:
    case Tok::kInt:
    case Tok::kInterleave:
    case Tok::kSemi:
    case Tok::kAlphaPar:
    case Tok::kLBracket:
    case Tok::kLSyncExt:
    case Tok::kLPar: {
      Nested inside(*this, depth_, 0);
      return Is(Tok::kLBracket) ? ReplicatedLink() : Replicated();
    }
    case Tok::kNot:
      return Not();
    default:
      Unexpected("an expression");
  }
}

Expr* Parser::Parenthesised() {
  Span begin = Take().span;
  Nested inside(*this, depth_ + 1, 0);
  if (Accept(Tok::kRParen)) return New(Op::kTuple, From(begin));
  Expr* first = Expression();
  if (Accept(Tok::kRParen)) return first;
  std::vector<Expr*> items{first};
  if (!Is(Tok::kComma)) Unexpected("`,` or `)` to close the parenthesis");
  while (Accept(Tok::kComma)) items.push_back(Expression());
  Expect(Tok::kRParen, "to close the tuple");
  return New(Op::kTuple, From(begin), std::move(items));
}

// `<1,2>`, `<a..b>`, `<e | x <- s>`. `<-1>` arrives as a back arrow and a number.
Expr* Parser::Sequenced() {
  Span begin = Here();
  bool negative = Is(Tok::kBackArrow);
  Take();
  Nested inside(*this, depth_ + 1, 1);
  if (!negative && Accept(Tok::kGt)) return New(Op::kSeq, From(begin));
  Expr* first = nullptr;
  if (negative) {
    Expr* operand = LengthOf();
    first = New(Op::kNeg, Span::Join(begin, operand->span), {operand});
  } else {
    first = Expression();
  }
  Expr* result = New(Op::kSeq, begin, {first});
  if (Accept(Tok::kDotDot)) {
    result->op = Op::kSeqFrom;
    if (!Is(Tok::kGt) && !Is(Tok::kBar)) result->kids.push_back(Expression());
  } else {
    while (Accept(Tok::kComma)) result->kids.push_back(Expression());
  }
  if (Accept(Tok::kBar)) {
    if (result->op == Op::kSeqFrom) {
      result->span = From(begin);
      result = New(Op::kSeqComp, begin, {result});
      result->number = 1;
    }
    result->op = Op::kSeqComp;
    result->stmts = Statements(false);
  }
  if (!Is(Tok::kGt)) Unexpected("`,` or `>` to close the sequence");
  Take();
  result->span = From(begin);
  return result;
}

Expr* Parser::Braced() {
  Span begin = Take().span;
  Nested inside(*this, depth_ + 1, 0);
  if (Accept(Tok::kRBrace)) return New(Op::kSet, From(begin));
  Expr* result = New(Op::kSet, begin, {Expression()});
  if (Accept(Tok::kDotDot)) {
    result->op = Op::kSetFrom;
    if (!Is(Tok::kRBrace) && !Is(Tok::kBar)) result->kids.push_back(Expression());
  } else {
    while (Accept(Tok::kComma)) result->kids.push_back(Expression());
  }
  if (Accept(Tok::kBar)) {
    if (result->op == Op::kSetFrom) {
      result->span = From(begin);
      result = New(Op::kSetComp, begin, {result});
      result->number = 1;
    }
    result->op = Op::kSetComp;
    result->stmts = Statements(false);
  }
  if (!Is(Tok::kRBrace)) Unexpected("`,` or `}` to close the set");
  Take();
  result->span = From(begin);
  return result;
}

Expr* Parser::ChannelSet() {
  Span begin = Take().span;
  Nested inside(*this, depth_ + 1, 0);
  Expr* result = New(Op::kChanSet, begin);
  if (!Is(Tok::kRChan)) {
    do result->kids.push_back(Expression());
    while (Accept(Tok::kComma));
  }
  if (Accept(Tok::kBar)) {
    result->op = Op::kChanComp;
    result->stmts = Statements(false);
  }
  if (!Is(Tok::kRChan)) Unexpected("`,` or `|}` to close the channel set");
  Take();
  result->span = From(begin);
  return result;
}

Expr* Parser::MapLiteral() {
  Span begin = Take().span;
  Nested inside(*this, depth_ + 1, 0);
  Expr* result = New(Op::kMap, begin);
  if (!Is(Tok::kRMap)) {
    do {
      result->kids.push_back(Expression());
      Expect(Tok::kMapTo, "between a key and its value");
      result->kids.push_back(Expression());
    } while (Accept(Tok::kComma));
  }
  Expect(Tok::kRMap, "to close the map");
  result->span = From(begin);
  return result;
}

Expr* Parser::Lambda() {
  Span begin = Take().span;
  Nested inside(*this, depth_, 0);
  Expr* result = New(Op::kLambda, begin);
  do {
    Expr* pattern = Dots();
    CheckPattern(pattern);
    result->kids.push_back(pattern);
  } while (Accept(Tok::kComma));
  Expect(Tok::kAt, "before the body of the lambda");
  result->kids.push_back(Expression());
  result->span = From(begin);
  return result;
}

Expr* Parser::If() {
  Span begin = Take().span;
  Nested inside(*this, depth_, sequence_depth_);
  Expr* condition = Expression();
  Expect(Tok::kThen, "after the condition");
  Expr* yes = Expression();
  Expect(Tok::kElse, "(an `if` always has an `else`)");
  Expr* no = Expression();
  return New(Op::kIf, Span::Join(begin, no->span), {condition, yes, no});
}

Expr* Parser::Let() {
  Span begin = Take().span;
  Expr* result = New(Op::kLet, begin);
  {
    Nested inside(*this, 0, 0);
    Declarations(result->decls, {Tok::kWithin});
  }
  Expect(Tok::kWithin, "after the declarations of the `let`");
  Nested inside(*this, depth_, sequence_depth_);
  result->kids.push_back(Expression());
  result->span = From(begin);
  return result;
}

// `x <- S, y <- T, x < y`; `x : S` is the same, and usual in replicated operators.
std::vector<Stmt> Parser::Statements(bool may_be_empty) {
  std::vector<Stmt> stmts;
  if (Is(Tok::kAt) && may_be_empty) return stmts;
  do {
    Stmt stmt;
    Expr* first = Expression();
    if (Is(Tok::kBackArrow) || Is(Tok::kColon)) {
      Take();
      CheckPattern(first);
      stmt.pattern = first;
      stmt.value = Expression();
    } else {
      stmt.value = first;
    }
    stmts.push_back(stmt);
  } while (Accept(Tok::kComma));
  return stmts;
}

}  // namespace heddle::csp
