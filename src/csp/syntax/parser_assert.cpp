// `assert ...` with its properties and options, and type annotations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/near.h"
#include "csp/syntax/parser_impl.h"

namespace heddle::csp {
namespace {

bool ModelNamed(const std::string& name, Model& model) {
  static const std::map<std::string, Model> models = {{"T", Model::kTraces},
                                                      {"F", Model::kFailures},
                                                      {"FD", Model::kFailuresDivergences},
                                                      {"V", Model::kRevivals},
                                                      {"VD", Model::kRevivalsDivergences},
                                                      {"R", Model::kRefusals},
                                                      {"RD", Model::kRefusalsDivergences}};
  auto it = models.find(name);
  if (it != models.end()) model = it->second;
  return it != models.end();
}

}  // namespace

void Parser::Assert(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kAssert, Take().span);
  Assertion& assertion = decl->assertion;
  while (Accept(Tok::kNot)) assertion.negated = !assertion.negated;
  assertion.left = Expression();
  if (Is(Tok::kRefine)) {
    if (!ModelNamed(Now().text, assertion.model)) {
      Fail(Here(), fmt::format("unknown model `{}`", Now().text), "the models are T, F, FD, V, VD, R and RD");
    }
    Take();
    assertion.right = Expression();
  } else if (Is(Tok::kColon)) {
    PropertyOf(assertion);
  } else {
    Unexpected("`[T=`, `[F=`, `[FD=` or `:[` and a property");
  }
  AssertOptions(assertion);
  decl->span = From(decl->span);
  out.push_back(decl);
}

std::vector<std::string> Parser::OptionWords() {
  std::vector<std::string> words;
  while (Is(Tok::kName) || Is(Tok::kMinus)) {
    if (Is(Tok::kName)) words.push_back(Now().text);
    Take();
  }
  return words;
}

// The `]` that ends an option; `[F]]` arrives as one double bracket, which counts as two.
void Parser::CloseOption() {
  if (Is(Tok::kRRename)) SplitDoubleBracket();
  Expect(Tok::kRBracket, "to close the option");
}

void Parser::SplitDoubleBracket() {
  Token& token = (*tokens_)[at_];
  token.kind = Tok::kRBracket;
  Token second = token;
  second.newline_before = false;
  second.span.begin = token.span.begin + 1;
  token.span.end = token.span.begin + 1;
  tokens_->insert(tokens_->begin() + static_cast<std::ptrdiff_t>(at_) + 1, second);
}

// An optional `[F]` inside a property.
bool Parser::OptionModel(Assertion& assertion) {
  if (!Accept(Tok::kLBracket)) return false;
  Span span = Here();
  std::string name = Expect(Tok::kName, "of a model").text;
  if (!ModelNamed(name, assertion.model)) {
    Fail(span, fmt::format("unknown model `{}`", name), "the models are T, F, FD, V, VD, R and RD");
  }
  CloseOption();
  return true;
}

void Parser::PropertyOf(Assertion& assertion) {
  Expect(Tok::kColon, "");
  Expect(Tok::kLBracket, "before the property");
  Span begin = Here();
  std::vector<std::string> words = OptionWords();
  std::string name = fmt::format("{}", fmt::join(words, " "));
  static constexpr std::array<std::string_view, 6> known = {"deadlock free", "divergence free", "livelock free",
                                                            "deterministic", "has trace",       "determinism"};
  if (name == "deadlock free") {
    assertion.property = Property::kDeadlockFree;
  } else if (name == "divergence free" || name == "livelock free") {
    assertion.property = Property::kDivergenceFree;
  } else if (name == "deterministic") {
    assertion.property = Property::kDeterministic;
  } else if (name == "has trace") {
    assertion.property = Property::kHasTrace;
  } else if (name == "sublock free" || name == "mutual exclusion" || name == "symmetric") {
    assertion.property = Property::kUnmodelled;
    assertion.unmodelled = name;
  } else {
    std::string help = DidYouMean(name, known);
    if (help.empty()) {
      help = "the properties are `deadlock free`, `divergence free`, `livelock free`, `deterministic` and `has trace`";
    }
    Fail(From(begin), fmt::format("unknown property `{}`", name), help);
  }
  OptionModel(assertion);
  CloseOption();
  if (assertion.property == Property::kHasTrace) {
    Accept(Tok::kColon);  // both `:[has trace]: <a>` and `:[has trace] <a>` are written
    assertion.right = Expression();
  }
  if (assertion.unmodelled == "symmetric") {
    Expect(Tok::kColon, "before the types");
    do {
      if (!Is(Tok::kName)) Unexpected("the name of a type");
      assertion.symmetries.push_back(QualifiedName(Here()));
    } while (Accept(Tok::kComma));
  }
}

void Parser::AssertOptions(Assertion& assertion) {
  while (Is(Tok::kColon)) {
    Take();
    Expect(Tok::kLBracket, "before the option");
    Span begin = Here();
    std::vector<std::string> words = OptionWords();
    std::string name = fmt::format("{}", fmt::join(words, " "));
    if (name == "partial order reduce") {
      if (assertion.partial_order) Fail(From(begin), "this option is given twice");
      assertion.partial_order = true;
      if (Accept(Tok::kLBracket)) {
        Span where = Here();
        std::string kind = Expect(Tok::kName, "of a method").text;
        if (kind != "precise" && kind != "fast" && kind != "hybrid") {
          Fail(where, fmt::format("unknown method `{}`", kind), "the methods are precise, fast and hybrid");
        }
        CloseOption();
      }
      CloseOption();
    } else if (name == "tau priority over" || name == "tau priority") {
      if (assertion.tau_priority != nullptr) Fail(From(begin), "this option is given twice");
      CloseOption();
      Expect(Tok::kColon, "before the set of events");
      assertion.tau_priority = Expression();
    } else if (name == "static") {
      if (assertion.analyse_statically) Fail(From(begin), "this option is given twice");
      assertion.analyse_statically = true;
      CloseOption();
    } else if (name == "symmetry reduce") {
      if (assertion.symmetry) Fail(From(begin), "this option is given twice");
      assertion.symmetry = true;
      CloseOption();
      // `:[` begins the next option.
      if (!Is(Tok::kColon) || Ahead(1).kind == Tok::kLBracket) continue;
      Take();
      do assertion.symmetries.push_back(Expression());
      while (Accept(Tok::kComma));
    } else {
      Fail(From(begin), fmt::format("unknown option `{}`", name),
           "the options are `partial order reduce`, `static`, `symmetry reduce` and `tau priority over`");
    }
  }
}

// `f, g :: type`.
void Parser::Annotation(std::vector<Decl*>& out, const std::vector<Expr*>& names) {
  Take();
  Decl* decl = ast_.NewDecl(DeclKind::kAnnotation, names[0]->span);
  for (const Expr* name : names) {
    if (name->op != Op::kName) Fail(name->span, "only a name can have a type annotation");
    decl->names.push_back(name->text);
    decl->name_spans.push_back(name->span);
  }
  decl->type = TypeScheme();
  decl->span = From(names[0]->span);
  out.push_back(decl);
}

// A type after its classes: `Eq a => ...` or `(Eq a, Ord b) => ...`. They become the `stmts` of the type.
Expr* Parser::TypeScheme() {
  std::vector<Stmt> classes;
  bool brackets = Is(Tok::kLParen) && Ahead(1).kind == Tok::kName && Ahead(2).kind == Tok::kName;
  bool single = Is(Tok::kName) && Ahead(1).kind == Tok::kName && !Ahead(1).newline_before;
  if (brackets || single) {
    if (brackets) Take();
    do {
      Stmt stmt;
      stmt.pattern = New(Op::kName, Here());
      stmt.pattern->text = Expect(Tok::kName, "of a class").text;
      stmt.value = New(Op::kName, Here());
      stmt.value->text = Expect(Tok::kName, "of a type variable").text;
      classes.push_back(stmt);
    } while (Accept(Tok::kComma));
    if (brackets) Expect(Tok::kRParen, "to close the classes");
    Expect(Tok::kMapTo, "after the classes");
  }
  Expr* type = TypeExpression();
  type->stmts = std::move(classes);
  return type;
}

// Types are kept as expressions: `(A,B) -> C` is a kLambda of A, B, C; `A => B` a kConcat;
// `A =>* B` a kNeg; the rest as it looks.
Expr* Parser::TypeExpression(bool key) {
  Enter();
  Span begin = Here();
  Expr* left = nullptr;
  if (Is(Tok::kName)) {
    left = QualifiedName(begin);
  } else if (Accept(Tok::kLParen)) {
    left = New(Op::kTuple, begin);
    if (!Is(Tok::kRParen)) {
      do left->kids.push_back(TypeExpression());
      while (Accept(Tok::kComma));
    }
    Expect(Tok::kRParen, "to close the type");
    left->span = From(begin);
  } else if (Accept(Tok::kLt)) {
    left = New(Op::kSeq, begin, {TypeExpression()});
    Expect(Tok::kGt, "to close the sequence type");
  } else if (Accept(Tok::kLBrace)) {
    left = New(Op::kSet, begin, {TypeExpression()});
    Expect(Tok::kRBrace, "to close the set type");
  } else if (Accept(Tok::kLMap)) {
    left = New(Op::kMap, begin, {TypeExpression(true)});
    Expect(Tok::kMapTo, "between the types of keys and values");
    left->kids.push_back(TypeExpression());
    Expect(Tok::kRMap, "to close the map type");
  } else {
    Unexpected("a type");
  }
  if (Is(Tok::kDot)) {
    left = New(Op::kDot, begin, {left});
    while (Accept(Tok::kDot)) left->kids.push_back(TypeExpression());
  }
  if (!key && Accept(Tok::kMapTo)) {
    Op op = Accept(Tok::kStar) ? Op::kNeg : Op::kConcat;
    left = New(op, begin, {left, TypeExpression()});
  } else if (Accept(Tok::kArrow)) {
    Expr* function = New(Op::kLambda, begin);
    if (left->op == Op::kTuple) {
      function->kids = left->kids;
    } else {
      function->kids = {left};
    }
    function->kids.push_back(TypeExpression());
    left = function;
  }
  if (left->op == Op::kTuple && left->kids.size() == 1) left = left->kids[0];
  --nesting_;
  return left;
}

}  // namespace heddle::csp
