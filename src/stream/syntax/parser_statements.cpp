#include <fmt/format.h>

#include <algorithm>

#include "base/near.h"
#include "stream/syntax/parser.h"
#include "stream/syntax/parser_base.h"

namespace heddle::stream {

using Kind = syntax::Expr::Kind;

using syntax::Definition;
using syntax::TypeExpr;

void Parser::Report(Span span, std::string message, std::string help) {
  if (gave_up_) return;
  // A second error at the same place is a consequence of the first.
  if (!diagnostics_.empty() && diagnostics_.back().span == span) return;
  diagnostics_.push_back({Severity::kError, span, std::move(message), std::move(help), {}});
}

bool Parser::Is(std::string_view text, size_t ahead) const {
  const Token& token = Peek(ahead);
  return (token.kind == Token::Kind::kName || token.kind == Token::Kind::kSymbol) && token.text == text;
}

bool Parser::Accept(std::string_view text) {
  if (!Is(text)) return false;
  Next();
  return true;
}

bool Parser::Expect(std::string_view text, std::string_view where) {
  if (Accept(text)) return true;
  std::string found = AtEnd() ? "the end of the file" : fmt::format("`{}`", Peek().text);
  Report(Peek().span, fmt::format("expected `{}` {}, found {}", text, where, found));
  return false;
}

std::string Parser::Name(std::string_view what) {
  if (Peek().kind == Token::Kind::kName) {
    if (IsReserved(Peek().text)) {
      Report(Peek().span, fmt::format("expected {}, but `{}` is a word of the language", what, Peek().text));
    }
    return std::string(Next().text);
  }
  std::string found = AtEnd() ? "the end of the file" : fmt::format("`{}`", Peek().text);
  Report(Peek().span, fmt::format("expected {}, found {}", what, found));
  return "";
}

Span Parser::SpanFrom(Span begin) const { return Span::Join(begin, tokens_[at_ > 0 ? at_ - 1 : 0].span); }

bool Parser::TooDeep() {
  if (depth_ <= kMaxDepth) return false;
  Report(Peek().span, fmt::format("nested more than {} levels deep", kMaxDepth));
  gave_up_ = true;
  at_ = tokens_.size() - 1;
  return true;
}

std::unique_ptr<syntax::Specification> Parser::Specification() {
  auto specification = std::make_unique<syntax::Specification>();
  while (!AtEnd()) {
    size_t before = at_;
    Statement(*specification);
    if (at_ == before) Next();
  }
  specification->features = std::move(features_);
  return specification;
}

void Parser::Statement(syntax::Specification& specification) {
  if (Accept(";")) return;
  std::vector<syntax::Annotation> annotations = ParseAnnotations();
  auto is_global = [](const syntax::Annotation& a) { return a.global; };
  std::copy_if(annotations.begin(), annotations.end(), std::back_inserter(specification.annotations), is_global);
  std::erase_if(annotations, is_global);
  if (AtEnd() || Is(";")) return;
  if (Is("include")) return ParseInclude(specification);
  if (Is("in")) return ParseInput(specification, std::move(annotations));
  if (Is("out")) return ParseOutput(specification, std::move(annotations));
  if (Is("print") && !Is("=", 1) && !Peek(1).newline_before) return ParsePrint(specification, std::move(annotations));
  if (Is("def") && (Is("@", 1) || Is("@@", 1))) return ParseAnnotationDefinition(specification);
  if (Entry(specification.entries, std::move(annotations))) return;
  static constexpr std::string_view kWords[] = {"def", "in", "out", "type", "module", "import", "include", "liftable"};
  Report(Peek().span, fmt::format("expected a statement, found `{}`", Peek().text), DidYouMean(Peek().text, kWords));
  SkipStatement();
}

void Parser::Uses(syntax::Feature feature, Span span) { features_.emplace_back(feature, span); }

bool Parser::AtDefinition() const {
  bool define = Is("define") && Peek(1).kind == Token::Kind::kName;
  return Is("def") || define || (Is("liftable") && Is("def", 1));
}

bool Parser::Entry(syntax::Entries& entries, std::vector<syntax::Annotation> annotations) {
  if (AtDefinition()) {
    entries.definitions.push_back(ParseDefinition(std::move(annotations)));
  } else if (Is("type")) {
    ParseTypeDefinition(entries);
  } else if (Is("module")) {
    ParseModule(entries);
  } else if (Is("import")) {
    ParseImport(entries);
  } else {
    return false;
  }
  return true;
}

void Parser::EndStatement() {
  if (AtEnd() || Accept(";") || Peek().newline_before || Is("}")) return;
  Report(Peek().span, fmt::format("expected the end of the statement, found `{}`", Peek().text));
  SkipStatement();
}

// To the next line that begins a statement, or to the end of a module.
void Parser::SkipStatement() {
  while (!AtEnd()) {
    Next();
    if (!Peek().newline_before) continue;
    if (depth_ > 0 && Is("}")) return;
    if (AtDefinition() || Is("in") || Is("out") || Is("module") || Is("type") || Is("import") || Is("@")) return;
  }
}

void Parser::ParseInclude(syntax::Specification& specification) {
  Span begin = Next().span;
  if (Peek().kind != Token::Kind::kString || Peek().pieces.size() != 1) {
    Report(Peek().span, "expected the name of a file in quotes after `include`");
    return SkipStatement();
  }
  std::string path = Next().pieces[0].text;
  specification.includes.emplace_back(std::move(path), SpanFrom(begin));
  EndStatement();
}

void Parser::ParseInput(syntax::Specification& specification, std::vector<syntax::Annotation> annotations) {
  Next();
  syntax::Input input;
  input.span = Peek().span;
  input.name = Name("the name of an input stream");
  if (Expect(":", "before the type of the input stream")) input.type = ParseType();
  input.annotations = std::move(annotations);
  EndStatement();
  if (input.type != nullptr && !input.name.empty()) specification.inputs.push_back(std::move(input));
}

void Parser::ParseOutput(syntax::Specification& specification, std::vector<syntax::Annotation> annotations) {
  Span begin = Next().span;
  syntax::Output output;
  output.annotations = std::move(annotations);
  if (Is("*")) {
    Next();
  } else {
    output.expr = Expression();
    if (output.expr != nullptr) output.name = std::string(sources_.TextOf(output.expr->span));
    if (Accept("as")) output.name = Name("a name after `as`");
    if (output.expr == nullptr) return;
  }
  output.span = SpanFrom(begin);
  specification.outputs.push_back(std::move(output));
  EndStatement();
}

// `print e` of TeSSLa 0.7 to 1.1: the bare values.
void Parser::ParsePrint(syntax::Specification& specification, std::vector<syntax::Annotation> annotations) {
  Uses(syntax::Feature::kPrint, Peek().span);
  ParseOutput(specification, std::move(annotations));
  if (!specification.outputs.empty()) specification.outputs.back().print = true;
}

std::vector<syntax::Annotation> Parser::ParseAnnotations() {
  std::vector<syntax::Annotation> annotations;
  while (Is("@") || Is("@@")) annotations.push_back(ParseAnnotation(Is("@@")));
  return annotations;
}

namespace {

std::string LiteralType(const syntax::Expr& value) {
  switch (value.kind) {
    case Kind::kInt:
    case Kind::kTime:
      return "Int";
    case Kind::kFloat:
      return "Float";
    case Kind::kString:
      return value.parts.size() > 1 || (value.parts.size() == 1 && value.parts[0].expr) ? "?" : "String";
    case Kind::kName:
      return value.name == "true" || value.name == "false" ? "Bool" : "?";
    case Kind::kCall:
      // A sign before a number.
      if (value.args.size() == 2 && (value.args[0]->name == "__neg__" || value.args[0]->name == "__fneg__")) {
        return LiteralType(*value.args[1]);
      }
      return "?";
    case Kind::kTuple:
    case Kind::kRecord:
    case Kind::kBlock:
      return "";
    default:
      return "?";
  }
}

}  // namespace

syntax::Annotation Parser::ParseAnnotation(bool global) {
  syntax::Annotation annotation;
  annotation.global = global;
  if (global) Uses(syntax::Feature::kGlobalAnnotation, Peek().span);
  annotation.span = Next().span;
  annotation.name = Is("liftable") ? std::string(Next().text) : Name("the name of an annotation");
  if (!Is("(") || Peek().newline_before) return annotation;
  Next();
  while (!Is(")") && !AtEnd()) {
    std::string name;
    if (Peek().kind == Token::Kind::kName && Is("=", 1)) {
      name = std::string(Next().text);
      Next();
    }
    syntax::ExprPtr value = Expression();
    if (value == nullptr) break;
    annotation.names.push_back(std::move(name));
    annotation.types.push_back(LiteralType(*value));
    annotation.argument_spans.push_back(value->span);
    bool literal = value->kind == syntax::Expr::Kind::kString && value->parts.size() == 1 && !value->parts[0].expr;
    annotation.arguments.push_back(literal ? value->parts[0].text : std::string(sources_.TextOf(value->span)));
    annotation.expressions.emplace_back(std::move(value));
    if (!Accept(",")) break;
  }
  Expect(")", "after the arguments of the annotation");
  return annotation;
}

// `def @name(parameters)`: uses of the annotation are checked against it.
void Parser::ParseAnnotationDefinition(syntax::Specification& specification) {
  Next();
  syntax::AnnotationDefinition definition;
  definition.global = Next().text == "@@";
  definition.span = Peek().span;
  definition.name = Name("the name of an annotation");
  if (Accept("(")) {
    for (const syntax::Parameter& parameter : Parameters(")")) {
      bool plain = parameter.type != nullptr && parameter.type->kind == syntax::TypeExpr::Kind::kName;
      definition.parameters.emplace_back(parameter.name, plain ? parameter.type->name : "");
    }
  }
  specification.annotation_definitions.push_back(std::move(definition));
  EndStatement();
}

std::vector<std::string> Parser::TypeParameters() {
  std::vector<std::string> names;
  if (!Accept("[")) return names;
  while (!Is("]") && !AtEnd()) {
    names.push_back(Name("a type parameter"));
    if (!Accept(",")) break;
  }
  Expect("]", "after the type parameters");
  return names;
}

std::vector<syntax::Parameter> Parser::Parameters(std::string_view close) {
  std::vector<syntax::Parameter> parameters;
  while (!Is(close) && !AtEnd()) {
    syntax::Parameter parameter;
    if ((Is("strict") || Is("lazy")) && Peek(1).kind == Token::Kind::kName) parameter.lazy = Next().text == "lazy";
    parameter.span = Peek().span;
    parameter.name = Name("a parameter");
    if (Accept(":")) {
      if (Is("strict") || Is("lazy")) {
        Uses(syntax::Feature::kStrictness, Peek().span);
        parameter.lazy = Next().text == "lazy";
      }
      parameter.type = ParseType();
    }
    for (const syntax::Parameter& other : parameters) {
      if (other.name == parameter.name && other.name != "_") {
        Report(parameter.span, fmt::format("Multiple definitions of \"{}\" in same scope", parameter.name));
      }
    }
    parameters.push_back(std::move(parameter));
    if (!Accept(",")) break;
  }
  Expect(close, "after the parameters");
  return parameters;
}

std::unique_ptr<Definition> Parser::ParseDefinition(std::vector<syntax::Annotation> annotations) {
  auto definition = std::make_unique<Definition>();
  definition->annotations = std::move(annotations);
  Span begin = Peek().span;
  for (const syntax::Annotation& annotation : definition->annotations) {
    if (annotation.name != "liftable") continue;
    Uses(syntax::Feature::kLiftableByAt, annotation.span);
    definition->liftable = true;
  }
  if (Is("liftable")) {
    Uses(syntax::Feature::kLiftable, begin);
    definition->liftable = Accept("liftable");
  }
  if (Is("define")) Uses(syntax::Feature::kDefine, Peek().span);
  Next();
  definition->name_span = Peek().span;
  definition->name = Name("a name after `def`");
  definition->type_parameters = TypeParameters();
  if (Is("(")) {
    Next();
    definition->is_function = true;
    definition->parameters = Parameters(")");
    for (const syntax::Parameter& parameter : definition->parameters) {
      if (!parameter.type) Uses(syntax::Feature::kUntypedParameter, parameter.span);
    }
  }
  if (Accept(":")) definition->result = ParseType();
  if (Is(":=")) {
    Uses(syntax::Feature::kWalrus, Next().span);
  } else {
    Uses(syntax::Feature::kEquals, Peek().span);
    Expect("=", fmt::format("in the definition of `{}`", definition->name));
  }
  definition->body = Expression();
  NameMembers(*definition);
  ParseWhere(*definition);
  definition->span = SpanFrom(begin);
  if (definition->body == nullptr) {
    definition->body = Make(syntax::Expr::Kind::kTuple, definition->span);
    SkipStatement();
  } else {
    EndStatement();
  }
  return definition;
}

// def o = {a = e} is the block { def o.a = e  {a = o.a} }: members are definitions, so that they may need each other.
void Parser::NameMembers(Definition& definition) {
  if (definition.is_function || definition.body == nullptr) return;
  bool record = definition.body->kind == Kind::kRecord || definition.body->kind == Kind::kTuple;
  if (!record || definition.body->args.empty()) return;
  auto block = Make(Kind::kBlock, definition.body->span);
  block->named_members = true;
  for (size_t i = 0; i < definition.body->args.size(); ++i) {
    syntax::ExprPtr& value = definition.body->args[i];
    bool tuple = definition.body->kind == Kind::kTuple;
    auto member = std::make_unique<Definition>();
    member->name = fmt::format("{}.{}", definition.name, tuple ? fmt::format("_{}", i + 1) : definition.body->names[i]);
    member->span = member->name_span = value->span;
    auto name = Make(Kind::kName, value->span);
    name->name = member->name;
    member->body = std::exchange(value, std::move(name));
    block->definitions.push_back(std::move(member));
  }
  block->args.push_back(std::move(definition.body));
  definition.body = std::move(block);
}

// `e where { defs }` is the block `{ defs e }`.
void Parser::ParseWhere(Definition& definition) {
  if (!Is("where") || definition.body == nullptr) return;
  Span begin = Next().span;
  auto block = Make(syntax::Expr::Kind::kBlock, definition.body->span);
  Expect("{", "after `where`");
  bool saved = std::exchange(newlines_ignored_, false);
  while (AtDefinition()) block->definitions.push_back(ParseDefinition({}));
  newlines_ignored_ = saved;
  Expect("}", "after the definitions of `where`");
  block->args.push_back(std::move(definition.body));
  block->span = SpanFrom(begin);
  definition.body = std::move(block);
}

void Parser::ParseTypeDefinition(syntax::Entries& entries) {
  Span begin = Next().span;
  auto type = std::make_unique<syntax::TypeDefinition>();
  type->name = Name("the name of a type");
  type->parameters = TypeParameters();
  if (!Is(":=") || !Accept(":=")) Expect("=", "in the type definition");
  if ((Is("extern") || Is("__builtin__")) && Is("(", 1)) {
    type->type = std::make_unique<TypeExpr>();
    type->type->span = Peek().span;
    type->type->name = ExternName();
    type->is_extern = true;
  } else {
    type->type = ParseType();
  }
  type->span = SpanFrom(begin);
  EndStatement();
  if (type->type != nullptr) entries.types.push_back(std::move(type));
}

void Parser::ParseModule(syntax::Entries& entries) {
  Uses(syntax::Feature::kModule, Peek().span);
  Span begin = Next().span;
  auto module = std::make_unique<syntax::Module>();
  module->name = Name("the name of a module");
  Expect("{", "after the name of the module");
  ++depth_;
  while (!Is("}") && !AtEnd() && !TooDeep()) {
    if (Accept(";")) continue;
    if (Is("def") && (Is("@", 1) || Is("@@", 1))) {
      Report(Peek().span, "an annotation cannot be defined in a module");
      Next();
      SkipStatement();
    } else if (!Entry(module->entries, ParseAnnotations())) {
      Report(Peek().span, fmt::format("`{}` cannot stand in a module", Peek().text));
      Next();
      SkipStatement();
    }
  }
  --depth_;
  Expect("}", "at the end of the module");
  module->span = SpanFrom(begin);
  entries.modules.push_back(std::move(module));
}

void Parser::ParseImport(syntax::Entries& entries) {
  Uses(syntax::Feature::kModule, Peek().span);
  Span begin = Next().span;
  std::vector<std::string> path{Name("the name of a module")};
  while (Accept(".")) path.push_back(Name("the name of a module"));
  entries.imports.emplace_back(std::move(path), SpanFrom(begin));
  EndStatement();
}

std::unique_ptr<TypeExpr> Parser::ParseType() {
  ++depth_;
  auto type = std::make_unique<TypeExpr>();
  Span begin = Peek().span;
  if (TooDeep()) {
    type->name = "Unit";
  } else if (Is("(")) {
    type = ParenthesisedType();
  } else if (Is("{") || Is("${")) {
    type = RecordType();
  } else {
    type->name = Name("a type");
    if (Is("[") && Accept("[")) {
      do type->args.push_back(ParseType());
      while (Accept(","));
      Expect("]", "after the type arguments");
    } else if (Is("<")) {
      Uses(syntax::Feature::kAngleTypes, Next().span);
      do type->args.push_back(ParseType());
      while (Accept(","));
      CloseAngle();
    }
  }
  --depth_;
  type->span = SpanFrom(begin);
  return type;
}

// The `>` after type arguments; `>>` closes two.
void Parser::CloseAngle() {
  if (half_closed_) {
    half_closed_ = false;
  } else if (Accept(">>")) {
    half_closed_ = true;
  } else {
    Expect(">", "after the type arguments");
  }
}

// {x: A, y: B}; with `..` at the end, further members may follow.
std::unique_ptr<TypeExpr> Parser::RecordType() {
  auto type = std::make_unique<TypeExpr>();
  type->kind = TypeExpr::Kind::kRecord;
  Next();
  while (!Is("}") && !AtEnd()) {
    if (Is("..")) {
      Uses(syntax::Feature::kOpenRecord, Next().span);
      type->open = true;
      break;
    }
    type->names.push_back(Name("the name of a member"));
    Expect(":", "before the type of the member");
    type->args.push_back(ParseType());
    if (!Accept(",")) break;
  }
  Expect("}", "at the end of the record type");
  return type;
}

// (A, B) => C, or the tuple (A, B), or just A in parentheses.
std::unique_ptr<TypeExpr> Parser::ParenthesisedType() {
  auto type = std::make_unique<TypeExpr>();
  Next();
  bool comma = false;
  while (!Is(")") && !AtEnd()) {
    if (Is("strict") || Is("lazy")) Next();
    type->args.push_back(ParseType());
    comma = Accept(",");
    if (!comma) break;
  }
  Expect(")", "in the type");
  if (Accept("=>")) {
    type->kind = TypeExpr::Kind::kFunction;
    type->args.push_back(ParseType());
    return type;
  }
  if (type->args.size() == 1 && !comma) return std::move(type->args[0]);
  type->kind = TypeExpr::Kind::kRecord;
  for (size_t i = 0; i < type->args.size(); ++i) type->names.push_back(fmt::format("_{}", i + 1));
  return type;
}

std::unique_ptr<syntax::Specification> ParseSpecification(const SourceMap& sources, uint32_t file,
                                                          std::vector<Diagnostic>& diagnostics) {
  auto size = static_cast<uint32_t>(sources.file(file).text().size());
  return Parser(sources, {file, 0, size}, diagnostics).Specification();
}

}  // namespace heddle::stream
