// The recursive-descent parser; private to src/csp/syntax. An error unwinds with SyntaxError to the next declaration.
#pragma once

#include <set>

#include "csp/syntax/parser.h"

namespace heddle::csp {

struct SyntaxError {};

class Parser {
 public:
  Parser(SourceMap& sources, const IncludeLoader& loader, Ast& ast, std::vector<Diagnostic>& diagnostics)
      : sources_(sources), loader_(loader), ast_(ast), diagnostics_(diagnostics) {}

  void File(uint32_t file);
  Expr* OnlyExpression(uint32_t file, bool type);

 private:
  // Declarations (parser_decl.cpp).
  void Declarations(std::vector<Decl*>& out, std::set<Tok> stops);
  void Declaration(std::vector<Decl*>& out);
  void Include(std::vector<Decl*>& out);
  void Timed(std::vector<Decl*>& out);
  void Channel(std::vector<Decl*>& out);
  void Datatype(std::vector<Decl*>& out, DeclKind kind);
  void Nametype(std::vector<Decl*>& out);
  void NameList(std::vector<Decl*>& out, DeclKind kind);
  void Module(std::vector<Decl*>& out);
  void Instance(std::vector<Decl*>& out);
  Expr* QualifiedName(Span begin);
  void Assert(std::vector<Decl*>& out);
  void PropertyOf(Assertion& assertion);
  void AssertOptions(Assertion& assertion);
  void Print(std::vector<Decl*>& out);
  void Binding(std::vector<Decl*>& out);
  void Annotation(std::vector<Decl*>& out, const std::vector<Expr*>& names);
  void CheckPattern(const Expr* pattern);
  std::vector<std::string> OptionWords();
  bool OptionModel(Assertion& assertion);
  void CloseOption();
  void EndOfDeclaration();
  void SkipToDeclaration();

  // Expressions, loosest first (parser_proc.cpp down to kPrefix, parser_expr.cpp below).
  Expr* Expression() { return Hiding(); }
  Expr* Hiding();
  Expr* Interleaving();
  Expr* Parallel();
  Expr* InternalChoice();
  Expr* ExternalChoice();
  Expr* Interrupt();
  Expr* Slide();
  Expr* Sequence();
  Expr* Prefix();
  Expr* Dots();
  Expr* Or();
  Expr* And();
  Expr* Not();
  Expr* Comparison();
  Expr* Sum();
  Expr* Product();
  Expr* LengthOf();
  Expr* Concat();
  Expr* Postfix();
  Expr* Atom();
  Expr* Parenthesised();
  Expr* Sequenced();
  Expr* Braced();
  Expr* ChannelSet();
  Expr* MapLiteral();
  Expr* Lambda();
  Expr* If();
  Expr* Let();
  Expr* Replicated();
  Expr* ReplicatedLink();
  Expr* Renaming(Expr* process);
  Expr* TypeExpression(bool key = false);  // a key of a map ends at `=>`
  Expr* TypeScheme();
  std::vector<Stmt> Statements(bool may_be_empty);
  bool AtSequenceEnd() const;

  // Tokens.
  const Token& Now() const { return (*tokens_)[at_]; }
  const Token& Ahead(size_t n) const { return (*tokens_)[std::min(at_ + n, tokens_->size() - 1)]; }
  bool Is(Tok kind) const { return Now().kind == kind; }
  const Token& Take() { return (*tokens_)[at_ + 1 < tokens_->size() ? at_++ : at_]; }
  bool Accept(Tok kind);
  const Token& Expect(Tok kind, const std::string& where);
  void SplitDoubleBracket();
  // A line break here ends the declaration: outside brackets and before something that could begin the next one.
  bool EndsHere() const { return depth_ == 0 && Now().newline_before; }
  [[noreturn]] void Fail(Span span, std::string message, std::string help = {});
  [[noreturn]] void Unexpected(const std::string& expected);

  Expr* New(Op op, Span span, std::vector<Expr*> kids = {});
  Expr* Binary(Op op, Expr* left, Expr* right) { return New(op, Span::Join(left->span, right->span), {left, right}); }
  Span Here() const { return Now().span; }
  Span From(Span begin) const { return Span::Join(begin, (*tokens_)[at_ == 0 ? 0 : at_ - 1].span); }

  // Brackets make line breaks meaningless; `let` makes them count again. Restored on every way out.
  class Nested {
   public:
    Nested(Parser& parser, int depth, int sequence)
        : parser_(parser), depth_(parser.depth_), sequence_(parser.sequence_depth_) {
      parser.depth_ = depth;
      parser.sequence_depth_ = sequence;
      parser.Enter();
    }
    ~Nested() {
      parser_.depth_ = depth_;
      parser_.sequence_depth_ = sequence_;
      --parser_.nesting_;
    }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
    int depth_;
    int sequence_;
  };
  void Enter();

  SourceMap& sources_;
  const IncludeLoader& loader_;
  Ast& ast_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token>* tokens_ = nullptr;
  size_t at_ = 0;
  int depth_ = 0;           // open brackets since the enclosing declaration list
  int sequence_depth_ = 0;  // > 0 directly inside `<...>`, where `>` closes
  Expr* seed_ = nullptr;    // the left operand that Prefix gives back instead of reading one
  int nesting_ = 0;         // guards the C++ stack against absurd input
  std::vector<std::string> include_stack_;
  std::set<std::string> included_;
  std::set<std::string> modules_;  // names of modules and instances: `M::x` is then no type annotation
  bool only_expression_ = false;
  int timed_sections_ = 0;
};

}  // namespace heddle::csp
