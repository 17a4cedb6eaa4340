// Processes: every operator that binds more loosely than `.`, and the forms that extend as far right as they can.
#include <utility>

#include "csp/syntax/parser_impl.h"

namespace heddle::csp {

// Hiding binds most loosely to its left and takes only a set to its right, so `P \ A ||| Q` is `(P \ A) ||| Q`: what
// has been hidden becomes the left operand of the operators that follow.
Expr* Parser::Hiding() {
  Expr* left = Interleaving();
  while (Is(Tok::kHide) || Is(Tok::kProject)) {
    Op op = Take().kind == Tok::kHide ? Op::kHide : Op::kProject;
    left = Binary(op, left, Dots());
    if (Is(Tok::kHide) || Is(Tok::kProject)) continue;
    seed_ = left;
    left = Interleaving();
  }
  return left;
}

Expr* Parser::Interleaving() {
  Expr* left = Parallel();
  while (Accept(Tok::kInterleave)) left = Binary(Op::kInterleave, left, Parallel());
  return left;
}

Expr* Parser::Parallel() {
  Expr* left = InternalChoice();
  while (Is(Tok::kLPar) || Is(Tok::kLBracket)) {
    Span open = Take().span;
    if ((*tokens_)[at_ - 1].kind == Tok::kLPar) {
      Expr* set = nullptr;
      {
        Nested inside(*this, depth_ + 1, 0);
        set = Expression();
      }
      if (Is(Tok::kRPar) || Is(Tok::kRExc)) {
        Op op = Take().kind == Tok::kRPar ? Op::kGenParallel : Op::kException;
        Expr* right = InternalChoice();
        left = New(op, Span::Join(left->span, right->span), {left, set, right});
        continue;
      }
      Unexpected("`|]` or `|>` to close the `[|`");
    }
    Expr* node = nullptr;
    {
      Nested inside(*this, depth_ + 1, 0);
      Expr* first = Expression();
      if (Accept(Tok::kAlphaPar)) {
        Expr* second = Expression();
        Expect(Tok::kRBracket, "to close the alphabets");
        node = New(Op::kAlphaParallel, open, {left, first, second});
      } else if (Accept(Tok::kLink)) {
        node = New(Op::kLinkParallel, open, {left, nullptr, first, Expression()});
        while (Accept(Tok::kComma)) {
          node->kids.push_back(Expression());
          Expect(Tok::kLink, "between the linked channels");
          node->kids.push_back(Expression());
        }
        if (Accept(Tok::kBar)) node->stmts = Statements(false);
        Expect(Tok::kRBracket, "to close the links");
      } else {
        Unexpected("`||` between two alphabets or `<->` between two channels");
      }
    }
    Expr* right = InternalChoice();
    if (node->op == Op::kLinkParallel) {
      node->kids[1] = right;
    } else {
      node->kids.push_back(right);
    }
    node->span = Span::Join(left->span, right->span);
    left = node;
  }
  return left;
}

Expr* Parser::InternalChoice() {
  Expr* left = ExternalChoice();
  while (Accept(Tok::kInt)) left = Binary(Op::kIntChoice, left, ExternalChoice());
  return left;
}

Expr* Parser::ExternalChoice() {
  Expr* left = Interrupt();
  while (true) {
    if (Accept(Tok::kExt)) {
      left = Binary(Op::kExtChoice, left, Interrupt());
    } else if (Accept(Tok::kLSyncExt)) {
      Expr* set = nullptr;
      {
        Nested inside(*this, depth_ + 1, 0);
        set = Expression();
      }
      Expect(Tok::kRSyncExt, "to close the `[+`");
      Expr* right = Interrupt();
      left = New(Op::kSyncExt, Span::Join(left->span, right->span), {left, set, right});
    } else {
      return left;
    }
  }
}

Expr* Parser::Interrupt() {
  Expr* left = Slide();
  while (true) {
    if (Accept(Tok::kInterrupt)) {
      left = Binary(Op::kInterrupt, left, Slide());
    } else if (Accept(Tok::kLSyncInt)) {
      Expr* set = nullptr;
      {
        Nested inside(*this, depth_ + 1, 0);
        set = Expression();
      }
      Expect(Tok::kRSyncInt, "to close the `/+`");
      Expr* right = Slide();
      left = New(Op::kSyncInterrupt, Span::Join(left->span, right->span), {left, set, right});
    } else {
      return left;
    }
  }
}

Expr* Parser::Slide() {
  Expr* left = Sequence();
  while (Accept(Tok::kSlide)) left = Binary(Op::kSlide, left, Sequence());
  return left;
}

Expr* Parser::Sequence() {
  Expr* left = Prefix();
  while (Is(Tok::kSemi)) {
    Take();
    left = Binary(Op::kSequence, left, Prefix());
  }
  return left;
}

Expr* Parser::Prefix() {
  // A chain of prefixes can be thousands of events long, so it is a loop and not a recursion.
  if (seed_ != nullptr) return std::exchange(seed_, nullptr);
  std::vector<Expr*> open;
  Expr* last = nullptr;
  while (true) {
    Expr* base = Dots();
    std::vector<Field> fields;
    while (Is(Tok::kQuery) || Is(Tok::kBang) || Is(Tok::kDollar)) {
      Field field;
      field.kind = Is(Tok::kQuery) ? '?' : Is(Tok::kBang) ? '!' : '$';
      Take();
      field.expr = Dots();
      if (field.kind != '!') {
        CheckPattern(field.expr);
        if (Accept(Tok::kColon)) field.set = Dots();
      }
      fields.push_back(field);
    }
    if (fields.empty() && Is(Tok::kAmp)) {
      Take();
      open.push_back(New(Op::kGuard, base->span, {base}));
      continue;
    }
    if (Accept(Tok::kArrow)) {
      Expr* prefix = New(Op::kPrefix, base->span, {base});
      prefix->fields = std::move(fields);
      prefix->span = From(base->span);
      open.push_back(prefix);
      continue;
    }
    if (!fields.empty()) Unexpected("`->` after the communication");
    last = base;
    break;
  }
  for (size_t i = open.size(); i-- > 0;) {
    open[i]->kids.push_back(last);
    if (open[i]->op == Op::kGuard) open[i]->span = Span::Join(open[i]->span, last->span);
    last = open[i];
  }
  return last;
}

// `[] x:S @ P` and its siblings. The operator token is still to be taken.
Expr* Parser::Replicated() {
  Span begin = Here();
  Tok kind = Take().kind;
  Op op = kind == Tok::kExt          ? Op::kRepExt
          : kind == Tok::kInt        ? Op::kRepInt
          : kind == Tok::kInterleave ? Op::kRepInterleave
          : kind == Tok::kSemi       ? Op::kRepSequence
          : kind == Tok::kAlphaPar   ? Op::kRepAlphaParallel
          : kind == Tok::kLSyncExt   ? Op::kRepSyncExt
                                     : Op::kRepGenParallel;
  Expr* set = nullptr;
  if (op == Op::kRepGenParallel || op == Op::kRepSyncExt) {
    Nested inside(*this, depth_ + 1, 0);
    set = Expression();
    bool choice = op == Op::kRepSyncExt;
    Expect(choice ? Tok::kRSyncExt : Tok::kRPar, choice ? "to close the `[+`" : "to close the `[|`");
  }
  std::vector<Stmt> stmts = Statements(true);
  Expect(Tok::kAt, "before the body of the replicated operator");
  if (op == Op::kRepAlphaParallel) {
    Expect(Tok::kLBracket, "before the alphabet of the replicated `||`");
    Nested inside(*this, depth_ + 1, 0);
    set = Expression();
    Expect(Tok::kRBracket, "after the alphabet");
  }
  Expr* body = Expression();
  Expr* result = New(op, Span::Join(begin, body->span), {body});
  if (set != nullptr) result->kids.push_back(set);
  result->stmts = std::move(stmts);
  return result;
}

// `[a <-> b, c <-> d] x:s @ P`, over a sequence.
Expr* Parser::ReplicatedLink() {
  Span begin = Take().span;
  std::vector<Expr*> kids = {nullptr};
  {
    Nested inside(*this, depth_ + 1, 0);
    do {
      kids.push_back(Expression());
      Expect(Tok::kLink, "between the linked channels");
      kids.push_back(Expression());
    } while (Accept(Tok::kComma));
    Expect(Tok::kRBracket, "to close the links");
  }
  std::vector<Stmt> stmts = Statements(true);
  Expect(Tok::kAt, "before the body of the replicated operator");
  kids[0] = Expression();
  Span span = Span::Join(begin, kids[0]->span);
  Expr* result = New(Op::kRepLink, span, std::move(kids));
  result->stmts = std::move(stmts);
  return result;
}

Expr* Parser::Renaming(Expr* process) {
  Expect(Tok::kLRename, "");
  Expr* result = New(Op::kRename, process->span, {process});
  Nested inside(*this, depth_ + 1, 0);
  do {
    result->kids.push_back(Expression());
    Expect(Tok::kBackArrow, "between the old and the new event of a renaming");
    result->kids.push_back(Expression());
  } while (Accept(Tok::kComma));
  if (Accept(Tok::kBar)) result->stmts = Statements(false);
  if (!Is(Tok::kRRename)) Unexpected("`,` or `]]` in the renaming");
  Take();
  result->span = From(process->span);
  return result;
}

}  // namespace heddle::csp
