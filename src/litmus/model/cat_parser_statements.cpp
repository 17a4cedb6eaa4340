#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "base/near.h"
#include "litmus/model/cat_parser_impl.h"

namespace heddle::litmus {
namespace {

constexpr std::array<std::string_view, 33> kKeywords = {
    "let",    "rec",    "and",    "in",      "acyclic",   "irreflexive", "empty", "flag", "undefined_unless",
    "show",   "unshow", "as",     "include", "procedure", "call",        "end",   "with", "from",
    "forall", "do",     "enum",   "match",   "fun",       "try",         "if",    "then", "else",
    "when",   "not",    "assert", "cut",     "debug",     "instructions"};

// Files of the standard library that define the coherence order: it is built in, so a copy beside the model is not
// read.
bool IsBuiltIn(const std::string& name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "cos.cat", "cos-opt.cat", "cos-no-opt.cat", "cos-ok-opt.cat", "stdlib.cat", "coscat.cat", "c11_cos.cat"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

bool IsCatKeyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::string CatParser::Shown(const CatToken& token) const {
  if (token.kind == CatTokenKind::kEnd) return "the end of the file";
  return "`" + std::string(shared_.sources.TextOf(token.span)) + "`";
}

Error CatParser::Wrong(const CatToken& token, std::string message, std::string help) const {
  Span span = token.span;
  if (span.end == span.begin) span.end = span.begin + 1;
  return MakeError(ErrorCode::kBadInput,
                   Render(shared_.sources, {Severity::kError, span, std::move(message), std::move(help), {}}));
}

bool CatParser::TakeSymbol(std::string_view text) {
  if (!AtSymbol(text)) return false;
  ++at_;
  return true;
}

bool CatParser::TakeWord(std::string_view text) {
  if (!AtWord(text)) return false;
  ++at_;
  return true;
}

Status CatParser::NeedSymbol(std::string_view text, std::string_view where) {
  if (TakeSymbol(text)) return {};
  return Wrong(Peek(), "expected `" + std::string(text) + "` " + std::string(where) + ", found " + Shown(Peek()));
}

Status CatParser::NeedWord(std::string_view text, std::string_view where) {
  if (TakeWord(text)) return {};
  return Wrong(Peek(), "expected `" + std::string(text) + "` " + std::string(where) + ", found " + Shown(Peek()));
}

Result<std::string> CatParser::NeedName(std::string_view what) {
  if (Peek().kind != CatTokenKind::kName || IsCatKeyword(Peek().text)) {
    return Wrong(Peek(), "expected " + std::string(what) + ", found " + Shown(Peek()));
  }
  return tokens_[at_++].text;
}

// A file may start with the name of an architecture, a title and words such as withco.
void CatParser::Header(CatModel& model) {
  while (Peek().kind == CatTokenKind::kString || (Peek().kind == CatTokenKind::kName && !IsCatKeyword(Peek().text))) {
    if (!model.title.empty()) model.title += " ";
    model.title += Peek().text;
    ++at_;
  }
}

Status CatParser::File(CatModel& model) {
  std::string outer = model.title;
  Header(model);
  if (!outer.empty()) model.title = outer;
  while (Peek().kind != CatTokenKind::kEnd) {
    if (Status status = Statement(model.statements); !status) return status;
  }
  return {};
}

Status CatParser::Block(Statements& out, std::string_view until1, std::string_view until2) {
  while (!AtWord(until1) && (until2.empty() || !AtWord(until2))) {
    if (Peek().kind == CatTokenKind::kEnd) return Wrong(Peek(), "expected `" + std::string(until1) + "`");
    if (Status status = Statement(out); !status) return status;
  }
  return {};
}

Status CatParser::Statement(Statements& out) {
  if (++depth_ > 200) return Wrong(Peek(), "statements are nested too deeply");
  Status result = [&]() -> Status {
    if (AtWord("let")) return Let(out);
    if (AtWord("include")) return Include(out);
    if (AtWord("show") || AtWord("unshow") || AtWord("debug") || AtWord("cut")) return Show();
    if (AtWord("procedure")) return Procedure(out);
    if (AtWord("call")) return Call(out);
    if (AtWord("with")) return With(out);
    if (AtWord("forall")) return Forall(out);
    if (AtWord("enum")) return Enum(out);
    if (AtWord("if")) return IfVariant(out);
    if (AtWord("instructions") || AtWord("events")) return Instructions();
    if (AtWord("flag") || AtWord("undefined_unless") || AtWord("assert") || AtSymbol("~") || AtWord("acyclic") ||
        AtWord("irreflexive") || AtWord("empty")) {
      return Check(out);
    }
    std::string help = Peek().kind == CatTokenKind::kName ? DidYouMean(Peek().text, kKeywords) : "";
    return Wrong(Peek(), "expected a definition, a check or `include`, found " + Shown(Peek()), help);
  }();
  --depth_;
  return result;
}

Result<std::vector<std::string>> CatParser::Pattern() {
  std::vector<std::string> names;
  if (!TakeSymbol("(")) {
    Result<std::string> name = NeedName("a name");
    if (!name) return name.error();
    names.push_back(*name);
    return names;
  }
  while (!AtSymbol(")")) {
    Result<std::string> name = NeedName("a name");
    if (!name) return name.error();
    names.push_back(*name);
    if (!TakeSymbol(",")) break;
  }
  if (Status status = NeedSymbol(")", "after the names"); !status) return status.error();
  return names;
}

Result<CatBinding> CatParser::Binding() {
  CatBinding binding;
  binding.span = Peek().span;
  if (AtSymbol("(")) {
    Result<std::vector<std::string>> pattern = Pattern();
    if (!pattern) return pattern.error();
    binding.pattern = std::move(*pattern);
  } else {
    Result<std::string> name = NeedName("the name to define");
    if (!name) return name.error();
    binding.name = *name;
    while (!AtSymbol("=")) {
      Result<std::vector<std::string>> pattern = Pattern();
      if (!pattern) return pattern.error();
      binding.parameters.push_back(std::move(*pattern));
      binding.is_function = true;
    }
    if (!binding.is_function) binding.pattern = {binding.name};
  }
  if (Status status = NeedSymbol("=", "in the definition"); !status) return status.error();
  Result<CatExprPtr> value = Expression();
  if (!value) return value.error();
  binding.value = std::move(*value);
  return binding;
}

Result<std::vector<CatBinding>> CatParser::Bindings() {
  std::vector<CatBinding> bindings;
  do {
    Result<CatBinding> binding = Binding();
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
  } while (TakeWord("and"));
  return bindings;
}

Status CatParser::Let(Statements& out) {
  CatStatement statement;
  statement.span = Peek().span;
  ++at_;
  statement.kind = TakeWord("rec") ? CatStatement::Kind::kLetRec : CatStatement::Kind::kLet;
  Result<std::vector<CatBinding>> bindings = Bindings();
  if (!bindings) return bindings.error();
  statement.bindings = std::move(*bindings);
  if (TakeWord("when")) {  // herd's let rec ... when check: the check holds for the result
    out.push_back(std::move(statement));
    return Check(out);
  }
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::Check(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kCheck;
  statement.span = Peek().span;
  if (TakeWord("flag")) statement.use = CatCheckUse::kFlag;
  if (TakeWord("undefined_unless")) statement.use = CatCheckUse::kUndefinedUnless;
  TakeWord("assert");
  if (TakeSymbol("~")) statement.negated = true;
  if (TakeWord("acyclic")) {
    statement.check = CatCheck::kAcyclic;
  } else if (TakeWord("irreflexive")) {
    statement.check = CatCheck::kIrreflexive;
  } else if (TakeWord("empty")) {
    statement.check = CatCheck::kEmpty;
  } else {
    return Wrong(Peek(), "expected `acyclic`, `irreflexive` or `empty`, found " + Shown(Peek()));
  }
  Result<CatExprPtr> value = Expression();
  if (!value) return value.error();
  statement.value = std::move(*value);
  if (TakeWord("as")) {
    Result<std::string> name = NeedName("the name of the check");
    if (!name) return name.error();
    statement.name = *name;
  }
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::Include(Statements& out) {
  CatToken word = Peek();
  ++at_;
  if (Peek().kind != CatTokenKind::kString) return Wrong(Peek(), "expected the name of a file in quotes");
  CatToken name = tokens_[at_++];
  std::filesystem::path wanted(name.text);
  std::vector<std::filesystem::path> candidates;
  std::filesystem::path here = shared_.sources.file(name.span.file).name();
  if (!IsBuiltIn(name.text)) candidates.push_back(here.parent_path() / wanted);
  for (const std::string& path : shared_.search.paths) candidates.push_back(std::filesystem::path(path) / wanted);
  for (const std::filesystem::path& candidate : candidates) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(candidate, error)) continue;
    std::string key = std::filesystem::weakly_canonical(candidate, error).string();
    if (shared_.including.contains(key)) return Wrong(name, "this file includes itself");
    Result<uint32_t> file = shared_.sources.AddFromDisk(candidate.string());
    if (!file) return file.error();
    shared_.including.insert(key);
    CatModel inner;
    Status status = ParseCatInto(shared_, *file, inner);
    shared_.including.erase(key);
    if (!status) return status;
    for (CatStatement& statement : inner.statements) out.push_back(std::move(statement));
    return {};
  }
  return Wrong(name, "there is no file `" + name.text + "` beside the model or in the library",
               "give its folder with -I");
}

Status CatParser::Procedure(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kProcedure;
  statement.span = Peek().span;
  ++at_;
  TakeWord("rec");
  Result<std::string> name = NeedName("the name of the procedure");
  if (!name) return name.error();
  statement.name = *name;
  Result<std::vector<std::string>> parameters = Pattern();
  if (!parameters) return parameters.error();
  statement.parameters = std::move(*parameters);
  if (Status status = NeedSymbol("=", "after the parameters"); !status) return status;
  if (Status status = Block(statement.body, "end"); !status) return status;
  ++at_;
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::Call(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kCall;
  statement.span = Peek().span;
  ++at_;
  Result<std::string> name = NeedName("the name of a procedure");
  if (!name) return name.error();
  statement.name = *name;
  Result<CatExprPtr> argument = Simple();
  if (!argument) return argument.error();
  statement.value = std::move(*argument);
  if (TakeWord("as")) {
    Result<std::string> label = NeedName("a name");
    if (!label) return label.error();
  }
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::With(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kWith;
  statement.span = Peek().span;
  ++at_;
  Result<std::string> name = NeedName("the name to choose");
  if (!name) return name.error();
  statement.name = *name;
  if (Status status = NeedWord("from", "after the name"); !status) return status;
  Result<CatExprPtr> value = Expression();
  if (!value) return value.error();
  statement.value = std::move(*value);
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::Forall(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kForall;
  statement.span = Peek().span;
  ++at_;
  Result<std::string> name = NeedName("the name of the element");
  if (!name) return name.error();
  statement.name = *name;
  if (Status status = NeedWord("in", "after the name"); !status) return status;
  Result<CatExprPtr> value = Expression();
  if (!value) return value.error();
  statement.value = std::move(*value);
  if (Status status = NeedWord("do", "after the set"); !status) return status;
  if (Status status = Block(statement.body, "end"); !status) return status;
  ++at_;
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::Enum(Statements& out) {
  CatStatement statement;
  statement.kind = CatStatement::Kind::kEnum;
  statement.span = Peek().span;
  ++at_;
  Result<std::string> name = NeedName("the name of the enumeration");
  if (!name) return name.error();
  statement.name = *name;
  if (Status status = NeedSymbol("=", "after the name"); !status) return status;
  TakeSymbol("||");
  do {
    if (Peek().kind != CatTokenKind::kTag) return Wrong(Peek(), "expected a tag such as 'acquire");
    statement.tags.push_back(tokens_[at_++].text);
  } while (TakeSymbol("||"));
  out.push_back(std::move(statement));
  return {};
}

Status CatParser::IfVariant(Statements& out) {
  ++at_;
  Result<bool> on = Variants();
  if (!on) return on.error();
  bool yes = *on;
  Statements dropped;
  if (Status status = Block(yes ? out : dropped, "else", "end"); !status) return status;
  if (TakeWord("else")) {
    if (Status status = Block(yes ? dropped : out, "end"); !status) return status;
  }
  return NeedWord("end", "to close `if`");
}

// What to draw is decided elsewhere: the words are read and have no meaning here.
Status CatParser::Show() {
  bool cut = AtWord("cut");
  ++at_;
  do {
    Result<CatExprPtr> value = Expression();
    if (!value) return value.error();
    if (!cut && TakeWord("as")) {
      Result<std::string> name = NeedName("a name");
      if (!name) return name.error();
    }
  } while (TakeSymbol(","));
  return {};
}

// instructions R[{'a,'b},...]: which annotations an instruction may have. The parsers of tests know that already.
Status CatParser::Instructions() {
  ++at_;
  Result<std::string> name = NeedName("the name of an instruction");
  if (!name) return name.error();
  int depth = 0;
  do {
    if (Peek().kind == CatTokenKind::kEnd) return Wrong(Peek(), "expected `]`");
    if (AtSymbol("[") || AtSymbol("{")) ++depth;
    if (AtSymbol("]") || AtSymbol("}")) --depth;
    ++at_;
  } while (depth > 0);
  return {};
}

Status ParseCatInto(CatParseShared& shared, uint32_t file, CatModel& model) {
  Result<std::vector<CatToken>> tokens = LexCat(shared.sources, file);
  if (!tokens) return tokens.error();
  return CatParser(shared, std::move(*tokens)).File(model);
}

namespace {

// The standard library comes before every model, as it does in herd.
Status ReadLibrary(CatParseShared& shared, CatModel& model) {
  for (const std::string& path : shared.search.paths) {
    std::string library = (std::filesystem::path(path) / "stdlib.cat").string();
    std::error_code error;
    if (!std::filesystem::is_regular_file(library, error)) continue;
    Result<uint32_t> file = shared.sources.AddFromDisk(library);
    if (!file) return file.error();
    Status status = ParseCatInto(shared, *file, model);
    model.title.clear();
    return status;
  }
  return {};
}

Result<CatModel> ParseModel(SourceMap& sources, uint32_t file, const CatSearch& search) {
  CatParseShared shared{sources, search, {}, {}};
  CatModel model;
  if (Status status = ReadLibrary(shared, model); !status) return status.error();
  std::error_code error;
  shared.including.insert(std::filesystem::weakly_canonical(sources.file(file).name(), error).string());
  size_t before = model.statements.size();
  if (Status status = ParseCatInto(shared, file, model); !status) return status.error();
  if (model.statements.size() == before && !model.title.empty()) {
    std::string first = model.title.substr(0, model.title.find(' '));
    return MakeError(ErrorCode::kBadInput, Render(sources, {Severity::kError,
                                                            {file, 0, 1},
                                                            "this model has a title and no checks",
                                                            DidYouMean(first, kKeywords),
                                                            {}}));
  }
  return model;
}

}  // namespace

Result<CatModel> ParseCatFile(SourceMap& sources, const std::string& path, const CatSearch& search) {
  Result<uint32_t> file = sources.AddFromDisk(path);
  if (!file) return file.error();
  return ParseModel(sources, *file, search);
}

Result<CatModel> ParseCatText(SourceMap& sources, const std::string& name, const std::string& text,
                              const CatSearch& search) {
  return ParseModel(sources, sources.Add(name, text), search);
}

}  // namespace heddle::litmus
