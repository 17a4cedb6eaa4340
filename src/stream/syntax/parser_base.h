// The parser's token cursor and the two halves that share it; private to parser*.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stream/syntax/lexer.h"
#include "stream/syntax/syntax.h"

namespace heddle::stream {

// Words that cannot be names.
bool IsReserved(std::string_view word);

class Parser {
 public:
  Parser(const SourceMap& sources, Span range, std::vector<Diagnostic>& diagnostics)
      : sources_(sources), diagnostics_(diagnostics), tokens_(Lex(sources, range, diagnostics)) {}

  std::unique_ptr<syntax::Specification> Specification();
  syntax::ExprPtr Expression();
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }
  const Token& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  void Report(Span span, std::string message, std::string help = "");

 private:
  static constexpr int kMaxDepth = 200;

  // Tokens.
  const Token& Next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool Is(std::string_view text, size_t ahead = 0) const;
  bool Accept(std::string_view text);
  bool Expect(std::string_view text, std::string_view where);
  std::string Name(std::string_view what);
  // Inside ( and [ newlines mean nothing; elsewhere an operator, call or member must stand on the same line.
  bool SameLine() const { return newlines_ignored_ || !Peek().newline_before; }
  Span SpanFrom(Span begin) const;
  bool TooDeep();

  // Statements (parser_statements.cpp).
  void Statement(syntax::Specification& specification);
  bool Entry(syntax::Entries& entries, std::vector<syntax::Annotation> annotations);
  void ParseInput(syntax::Specification& specification, std::vector<syntax::Annotation> annotations);
  void ParsePrint(syntax::Specification& specification, std::vector<syntax::Annotation> annotations);
  void ParseOutput(syntax::Specification& specification, std::vector<syntax::Annotation> annotations);
  void ParseInclude(syntax::Specification& specification);
  std::unique_ptr<syntax::Definition> ParseDefinition(std::vector<syntax::Annotation> annotations);
  void ParseWhere(syntax::Definition& definition);
  void NameMembers(syntax::Definition& definition);
  void ParseAnnotationDefinition(syntax::Specification& specification);
  void Uses(syntax::Feature feature, Span span);
  void ParseTypeDefinition(syntax::Entries& entries);
  void ParseModule(syntax::Entries& entries);
  void ParseImport(syntax::Entries& entries);
  std::vector<syntax::Annotation> ParseAnnotations();
  syntax::Annotation ParseAnnotation(bool global);
  std::vector<std::string> TypeParameters();
  std::vector<syntax::Parameter> Parameters(std::string_view close);
  bool AtDefinition() const;
  void EndStatement();
  void SkipStatement();

  // Types.
  std::unique_ptr<syntax::TypeExpr> ParseType();
  std::unique_ptr<syntax::TypeExpr> ParenthesisedType();
  void CloseAngle();
  std::unique_ptr<syntax::TypeExpr> RecordType();
  std::string ExternName();

  // Expressions (parser_expressions.cpp).
  syntax::ExprPtr Binary(int level);
  syntax::ExprPtr Unary();
  syntax::ExprPtr Postfix();
  syntax::ExprPtr Atom();
  syntax::ExprPtr NumberAtom();
  syntax::ExprPtr StringAtom();
  syntax::ExprPtr Conditional(bool is_static);
  syntax::ExprPtr Parenthesised();
  syntax::ExprPtr Lambda();
  syntax::ExprPtr Braced();
  syntax::ExprPtr RecordLiteral();
  bool AtTypedMember() const;
  syntax::ExprPtr ExternAtom();
  void CallArguments(syntax::Expr& call);
  bool LooksLikeLambda() const;
  syntax::ExprPtr Make(syntax::Expr::Kind kind, Span span) const;
  syntax::ExprPtr OperatorCall(const Token& op, std::string name, std::vector<syntax::ExprPtr> operands) const;

  const SourceMap& sources_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  bool half_closed_ = false;  // one of the two `>` of a `>>` has closed its type
  bool newlines_ignored_ = false;
  std::vector<std::pair<syntax::Feature, Span>> features_;
  bool gave_up_ = false;  // nesting too deep: one message, then silence
};

}  // namespace heddle::stream
