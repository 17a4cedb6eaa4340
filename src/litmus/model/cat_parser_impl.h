// Internal to the cat parser: one file's tokens and the recursive descent over them.
#pragma once

#include <set>
#include <string_view>

#include "litmus/model/cat_lexer.h"
#include "litmus/model/cat_parser.h"

namespace heddle::litmus {

// What all files of one model share.
struct CatParseShared {
  SourceMap& sources;
  const CatSearch& search;
  std::set<std::string> including;  // files that are being read now, to notice circles
  std::set<std::string> included;   // library files that were read: a second time adds nothing
};

class CatParser {
 public:
  CatParser(CatParseShared& shared, std::vector<CatToken> tokens) : shared_(shared), tokens_(std::move(tokens)) {}

  Status File(CatModel& model);

 private:
  using Statements = std::vector<CatStatement>;

  // Statements (cat_parser_statements.cpp).
  void Header(CatModel& model);
  Status Block(Statements& out, std::string_view until1, std::string_view until2 = "");
  Status Statement(Statements& out);
  Status Let(Statements& out);
  Status Check(Statements& out);
  Status Include(Statements& out);
  Status Procedure(Statements& out);
  Status Call(Statements& out);
  Status With(Statements& out);
  Status Forall(Statements& out);
  Status Enum(Statements& out);
  Status IfVariant(Statements& out);
  Status Show();
  Status Instructions();
  Result<std::vector<CatBinding>> Bindings();
  Result<CatBinding> Binding();
  Result<std::vector<std::string>> Pattern();

  // Expressions (cat_parser_expressions.cpp), loosest first.
  Result<CatExprPtr> Expression();
  Result<CatExprPtr> Binary(int level);
  Result<CatExprPtr> Unary();
  Result<CatExprPtr> Postfix();
  Result<CatExprPtr> Application();
  Result<CatExprPtr> Simple();
  Result<CatExprPtr> Parenthesised();
  Result<CatExprPtr> SetLiteral();
  Result<CatExprPtr> LetIn();
  Result<CatExprPtr> Match();
  Result<CatExprPtr> Function();
  Result<CatExprPtr> Try();
  Result<CatExprPtr> If();
  Result<bool> Variants();

  const CatToken& Peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool AtSymbol(std::string_view text) const { return Peek().kind == CatTokenKind::kSymbol && Peek().text == text; }
  bool AtWord(std::string_view text) const { return Peek().kind == CatTokenKind::kName && Peek().text == text; }
  bool TakeSymbol(std::string_view text);
  bool TakeWord(std::string_view text);
  Status NeedSymbol(std::string_view text, std::string_view where);
  Status NeedWord(std::string_view text, std::string_view where);
  Result<std::string> NeedName(std::string_view what);
  bool AtOperand() const;
  Error Wrong(const CatToken& token, std::string message, std::string help = "") const;
  std::string Shown(const CatToken& token) const;

  CatParseShared& shared_;
  std::vector<CatToken> tokens_;
  size_t at_ = 0;
  int depth_ = 0;  // of nested expressions, bounded so that bad input cannot exhaust the stack
};

bool IsCatKeyword(std::string_view word);
Result<CatModel> ParseCatTokens(CatParseShared& shared, uint32_t file);
Status ParseCatInto(CatParseShared& shared, uint32_t file, CatModel& model);

}  // namespace heddle::litmus
