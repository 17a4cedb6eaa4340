// Declarations, and the token handling that the whole parser shares.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/near.h"
#include "csp/large_stack.h"
#include "csp/syntax/lexer.h"
#include "csp/syntax/parser_impl.h"
#include "csp/syntax/timed.h"

namespace heddle::csp {
namespace {

constexpr int kMaxNesting = 2000;
constexpr int kMaxIncludes = 64;

// How many parts of a chain of `^` have an unknown length.
int OpenParts(const Expr* pattern) {
  if (pattern->op == Op::kConcat) return OpenParts(pattern->kids[0]) + OpenParts(pattern->kids[1]);
  if (pattern->op == Op::kBothPatterns) return std::min(OpenParts(pattern->kids[0]), OpenParts(pattern->kids[1]));
  return pattern->op == Op::kSeq || pattern->op == Op::kString ? 0 : 1;
}

}  // namespace

void Parser::Fail(Span span, std::string message, std::string help) {
  Diagnostic diagnostic;
  diagnostic.span = span;
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  diagnostics_.push_back(std::move(diagnostic));
  AboutToThrow();
  throw SyntaxError{};
}

void Parser::Unexpected(const std::string& expected) {
  std::string found = TokenName(Now().kind);
  if (Is(Tok::kName)) found = fmt::format("`{}`", Now().text);
  if (Is(Tok::kNumber)) found = fmt::format("`{}`", Now().number);
  Fail(Here(), fmt::format("expected {}, found {}", expected, found));
}

void Parser::Enter() {
  if (++nesting_ > kMaxNesting) {
    nesting_ = 0;
    Fail(Here(), "this is nested too deeply");
  }
}

bool Parser::Accept(Tok kind) {
  if (!Is(kind)) return false;
  Take();
  return true;
}

const Token& Parser::Expect(Tok kind, const std::string& where) {
  if (!Is(kind)) Unexpected(TokenName(kind) + (where.empty() ? "" : " " + where));
  return Take();
}

Expr* Parser::New(Op op, Span span, std::vector<Expr*> kids) {
  Expr* e = ast_.NewExpr(op, span);
  e->kids = std::move(kids);
  return e;
}

void Parser::File(uint32_t file) {
  size_t before = diagnostics_.size();
  std::vector<Token> tokens = Lex(sources_, file, diagnostics_);
  if (diagnostics_.size() != before) return;  // what the parser would say then is noise
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    bool names = tokens[i].kind == Tok::kModule || tokens[i].kind == Tok::kInstance;
    if (names && tokens[i + 1].kind == Tok::kName) modules_.insert(tokens[i + 1].text);
  }
  std::vector<Token>* outer_tokens = tokens_;
  size_t outer_at = at_;
  tokens_ = &tokens;
  at_ = 0;
  include_stack_.push_back(sources_.file(file).name());
  Declarations(ast_.top, {});
  include_stack_.pop_back();
  tokens_ = outer_tokens;
  at_ = outer_at;
}

Expr* Parser::OnlyExpression(uint32_t file, bool type) {
  std::vector<Token> tokens = Lex(sources_, file, diagnostics_);
  tokens_ = &tokens;
  depth_ = 1;
  only_expression_ = true;
  Expr* result = nullptr;
  try {
    result = type ? TypeScheme() : Expression();
    if (!Is(Tok::kEnd)) Unexpected("the end of the expression");
  } catch (const SyntaxError&) {
    result = nullptr;
  }
  return result;
}

void Parser::Declarations(std::vector<Decl*>& out, std::set<Tok> stops) {
  while (!Is(Tok::kEnd) && stops.count(Now().kind) == 0) {
    if (diagnostics_.size() >= kMaxDiagnostics) {
      at_ = tokens_->size() - 1;
      return;
    }
    try {
      Declaration(out);
      if (stops.count(Now().kind) == 0) EndOfDeclaration();
    } catch (const SyntaxError&) {
      if (!stops.empty()) throw;
      depth_ = sequence_depth_ = nesting_ = 0;
      SkipToDeclaration();
    }
  }
}

void Parser::EndOfDeclaration() {
  if (Is(Tok::kEnd) || Now().newline_before) return;
  Unexpected("an operator or the end of the declaration");
}

// The next line that begins in its first column: where people begin declarations.
void Parser::SkipToDeclaration() {
  do Take();
  while (!Is(Tok::kEnd) && !(Now().newline_before && sources_.PositionOf(Here()).column == 1));
}

void Parser::Declaration(std::vector<Decl*>& out) {
  switch (Now().kind) {
    case Tok::kInclude:
      return Include(out);
    case Tok::kChannel:
      return Channel(out);
    case Tok::kDatatype:
      return Datatype(out, DeclKind::kDatatype);
    case Tok::kSubtype:
      return Datatype(out, DeclKind::kSubtype);
    case Tok::kNametype:
      return Nametype(out);
    case Tok::kTransparent:
      return NameList(out, DeclKind::kTransparent);
    case Tok::kExternal:
      return NameList(out, DeclKind::kExternal);
    case Tok::kAssert:
      return Assert(out);
    case Tok::kPrint:
      return Print(out);
    case Tok::kModule:
      return Module(out);
    case Tok::kInstance:
      return Instance(out);
    case Tok::kTimed:
      return Timed(out);
    default:
      return Binding(out);
  }
}

// Timed { ... } or Timed(f) { ... }. Without a function every event takes one unit.
void Parser::Timed(std::vector<Decl*>& out) {
  Span begin = Take().span;
  Clause clause;
  if (Accept(Tok::kLParen)) {
    Nested brackets(*this, depth_ + 1, 0);
    clause.body = Expression();
    Expect(Tok::kRParen, "after the timing function");
  } else {
    Expr* one = New(Op::kInt, begin);
    one->number = 1;
    clause.body = New(Op::kLambda, begin, {New(Op::kWildcard, begin), one});
  }
  clause.span = clause.body->span;
  Decl* timing = ast_.NewDecl(DeclKind::kBinding, begin);
  timing->names.push_back(fmt::format("{}{}", kTimingPrefix, ++timed_sections_));
  timing->name_spans.push_back(clause.span);
  timing->clauses.push_back(std::move(clause));
  Expect(Tok::kLBrace, "before the timed declarations");
  std::vector<Decl*> inner;
  {
    Nested section(*this, 0, 0);
    Declarations(inner, {Tok::kRBrace});
  }
  Expect(Tok::kRBrace, "at the end of the timed section");
  for (const Decl* decl : inner) {
    if (decl->kind == DeclKind::kPrint) Fail(decl->span, "`print` cannot stand in a timed section");
  }
  Untimed wrong = RewriteTimed(ast_, inner, timing->names[0]);
  if (wrong.span.end != 0 && wrong.choice)
    Fail(wrong.span, "a prefix with `$` has no timed form", "write it with `|~|`");
  if (wrong.span.end != 0) {
    Fail(wrong.span, "linked parallel has no timed form", "write it with `[| |]`, renaming and hiding");
  }
  out.push_back(timing);
  out.insert(out.end(), inner.begin(), inner.end());
}

void Parser::Include(std::vector<Decl*>& out) {
  Span begin = Take().span;
  Span where = Here();
  std::string name = Expect(Tok::kString, "with the name of the file").text;
  if (include_stack_.size() > kMaxIncludes) Fail(where, "files are included too deeply");
  Result<IncludedFile> file = loader_(include_stack_.back(), name);
  if (!file) Fail(Span::Join(begin, where), file.error().message);
  if (std::find(include_stack_.begin(), include_stack_.end(), file->name) != include_stack_.end()) {
    Fail(Span::Join(begin, where), fmt::format("`{}` includes itself", name));
  }
  if (!included_.insert(file->name).second) return;  // a second inclusion would only declare everything twice
  uint32_t index = sources_.Add(file->name, file->text);
  std::vector<Decl*> kept = std::move(ast_.top);
  ast_.top.clear();
  bool outermost = &out == &ast_.top;
  File(index);
  std::vector<Decl*> inner = std::move(ast_.top);
  ast_.top = std::move(kept);
  std::vector<Decl*>& target = outermost ? ast_.top : out;
  target.insert(target.end(), inner.begin(), inner.end());
}

void Parser::Channel(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kChannel, Take().span);
  do {
    decl->name_spans.push_back(Here());
    decl->names.push_back(Expect(Tok::kName, "of a channel").text);
  } while (Accept(Tok::kComma));
  if (Accept(Tok::kColon)) {
    decl->type = Dots();
  } else if (!Is(Tok::kEnd) && !Now().newline_before) {
    Unexpected("`:` and the type of the channel, or the end of the declaration");
  }
  decl->span = From(decl->span);
  out.push_back(decl);
}

void Parser::Datatype(std::vector<Decl*>& out, DeclKind kind) {
  Decl* decl = ast_.NewDecl(kind, Take().span);
  decl->name_spans.push_back(Here());
  decl->names.push_back(Expect(Tok::kName, "of the type").text);
  Expect(Tok::kAssign, "before the constructors");
  do {
    Constructor constructor;
    constructor.span = Here();
    constructor.name = Expect(Tok::kName, "of a constructor").text;
    if (Accept(Tok::kDot)) constructor.type = Dots();
    decl->constructors.push_back(std::move(constructor));
  } while (Accept(Tok::kBar));
  decl->span = From(decl->span);
  out.push_back(decl);
}

void Parser::Nametype(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kNametype, Take().span);
  decl->name_spans.push_back(Here());
  decl->names.push_back(Expect(Tok::kName, "of the type").text);
  Expect(Tok::kAssign, "before the set");
  decl->type = Dots();
  decl->span = From(decl->span);
  out.push_back(decl);
}

void Parser::NameList(std::vector<Decl*>& out, DeclKind kind) {
  Decl* decl = ast_.NewDecl(kind, Take().span);
  do {
    decl->name_spans.push_back(Here());
    decl->names.push_back(Expect(Tok::kName, "of a function").text);
  } while (Accept(Tok::kComma));
  out.push_back(decl);
}

// module M(p, q) private declarations exports declarations endmodule
void Parser::Module(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kModule, Take().span);
  try {
    decl->name_spans.push_back(Here());
    decl->names.push_back(Expect(Tok::kName, "of the module").text);
    if (Accept(Tok::kLParen)) {
      Nested brackets(*this, depth_ + 1, 0);
      do decl->arguments.push_back(New(Op::kName, Here()));
      while (decl->arguments.back()->text = Expect(Tok::kName, "of a parameter").text, Accept(Tok::kComma));
      Expect(Tok::kRParen, "to close the parameters");
    }
    Declarations(decl->inner, {Tok::kExports, Tok::kEndModule});
    if (Accept(Tok::kExports)) Declarations(decl->exports, {Tok::kEndModule});
    Expect(Tok::kEndModule, fmt::format("at the end of module `{}`", decl->names[0]));
    for (const auto* part : {&decl->inner, &decl->exports}) {
      for (const Decl* inner : *part) {
        bool outside = inner->kind == DeclKind::kAssert || inner->kind == DeclKind::kPrint;
        if (outside) Fail(inner->span, "`assert` and `print` cannot stand in a module", "write them after it");
      }
    }
  } catch (const SyntaxError&) {
    while (!Is(Tok::kEnd) && !Is(Tok::kEndModule)) Take();
    throw;
  }
  decl->span = From(decl->span);
  out.push_back(decl);
}

// instance I = M(1, 2)
void Parser::Instance(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kInstance, Take().span);
  decl->name_spans.push_back(Here());
  decl->names.push_back(Expect(Tok::kName, "of the instance").text);
  Expect(Tok::kAssign, "before the module");
  Span begin = Here();
  if (!Is(Tok::kName)) Unexpected("the name of a module");
  decl->expr = QualifiedName(begin);
  if (Accept(Tok::kLParen)) {
    Nested brackets(*this, depth_ + 1, 0);
    do decl->arguments.push_back(Expression());
    while (Accept(Tok::kComma));
    Expect(Tok::kRParen, "to close the arguments");
  }
  decl->span = From(decl->span);
  out.push_back(decl);
}

// A name, or `M::N::name`.
Expr* Parser::QualifiedName(Span begin) {
  Expr* e = New(Op::kName, begin);
  std::string last = Take().text;
  e->text = last;
  while (Is(Tok::kDoubleColon) && Ahead(1).kind == Tok::kName && (only_expression_ || modules_.contains(last))) {
    Take();
    last = Take().text;
    e->text += "::" + last;
  }
  e->span = From(begin);
  return e;
}

void Parser::Print(std::vector<Decl*>& out) {
  Decl* decl = ast_.NewDecl(DeclKind::kPrint, Take().span);
  decl->expr = Expression();
  decl->span = From(decl->span);
  out.push_back(decl);
}

// What may stand on the left of `=` or in an input: no operators that compute.
void Parser::CheckPattern(const Expr* pattern) {
  switch (pattern->op) {
    case Op::kInt:
    case Op::kBool:
    case Op::kChar:
    case Op::kString:
    case Op::kName:
    case Op::kWildcard:
      return;
    case Op::kNeg:
      if (pattern->kids[0]->op == Op::kInt) return;
      break;
    case Op::kSet:
      if (pattern->kids.size() > 1) Fail(pattern->span, "a set pattern has at most one element");
      [[fallthrough]];
    case Op::kConcat:
      if (OpenParts(pattern) > 1) {
        Fail(pattern->span, "this pattern can match in several ways",
             "a sequence pattern can have only one part of unknown length");
      }
      [[fallthrough]];
    case Op::kTuple:
    case Op::kSeq:
    case Op::kDot:
    case Op::kBothPatterns:
      for (const Expr* kid : pattern->kids) CheckPattern(kid);
      return;
    default:
      break;
  }
  Fail(pattern->span, "this is not a pattern",
       "a pattern is built from names, `_`, literals, tuples, sequences, `^`, `.`, `{}`, `{p}` and `@@`");
}

void Parser::Binding(std::vector<Decl*>& out) {
  Expr* left = Dots();
  if (left->op == Op::kName && Is(Tok::kComma)) {
    std::vector<Expr*> names{left};
    while (Accept(Tok::kComma)) names.push_back(Dots());
    if (Is(Tok::kDoubleColon)) return Annotation(out, names);
    Unexpected("`::` and a type after several names");
  }
  if (Is(Tok::kDoubleColon)) return Annotation(out, {left});
  Clause clause;
  Expr* head = left;
  while (head->op == Op::kApply) {
    std::vector<Expr*> params(head->kids.begin() + 1, head->kids.end());
    clause.params.insert(clause.params.begin(), std::move(params));
    head = head->kids[0];
  }
  if (!Is(Tok::kAssign)) {
    static constexpr std::array<std::string_view, 8> words = {"channel", "datatype", "subtype",     "nametype",
                                                              "assert",  "include",  "transparent", "external"};
    if (left->op == Op::kName && Is(Tok::kName)) {
      std::string help = DidYouMean(left->text, words);
      if (!help.empty()) Fail(left->span, fmt::format("`{}` does not begin a declaration", left->text), help);
    }
    Unexpected("`=` after the left side of a declaration");
  }
  if (!clause.params.empty() && head->op != Op::kName) Fail(head->span, "only a name can be declared with parameters");
  for (const auto& list : clause.params) {
    for (const Expr* param : list) CheckPattern(param);
  }
  CheckPattern(head);
  Take();
  clause.body = Expression();
  clause.span = Span::Join(left->span, clause.body->span);
  // Further clauses of the function just declared join it.
  bool function = head->op == Op::kName;
  if (function && !clause.params.empty() && !out.empty() && out.back()->kind == DeclKind::kBinding &&
      out.back()->pattern == nullptr && out.back()->names[0] == head->text && !out.back()->clauses[0].params.empty()) {
    out.back()->clauses.push_back(std::move(clause));
    return;
  }
  Decl* decl = ast_.NewDecl(DeclKind::kBinding, clause.span);
  if (function) {
    decl->names.push_back(head->text);
    decl->name_spans.push_back(head->span);
  } else {
    decl->pattern = head;
  }
  decl->clauses.push_back(std::move(clause));
  out.push_back(decl);
}

void Parse(SourceMap& sources, uint32_t file, const IncludeLoader& loader, Ast& ast,
           std::vector<Diagnostic>& diagnostics) {
  Parser(sources, loader, ast, diagnostics).File(file);
}

Expr* ParseExpression(SourceMap& sources, uint32_t file, Ast& ast, std::vector<Diagnostic>& diagnostics) {
  IncludeLoader none;
  return Parser(sources, none, ast, diagnostics).OnlyExpression(file, false);
}

Expr* ParseType(SourceMap& sources, uint32_t file, Ast& ast, std::vector<Diagnostic>& diagnostics) {
  IncludeLoader none;
  return Parser(sources, none, ast, diagnostics).OnlyExpression(file, true);
}

}  // namespace heddle::csp
