#include <fmt/format.h>

#include <functional>
#include <set>

#include "base/file.h"
#include "stream/elaborate/dialect.h"
#include "stream/elaborate/elaborator.h"
#include "stream/syntax/parser.h"

namespace heddle::stream {
namespace {

constexpr size_t kMaxIncludes = 64;

bool HasErrors(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::kError) return true;
  }
  return false;
}

template <typename T>
void Append(std::vector<T>& to, std::vector<T>& from) {
  for (T& item : from) to.push_back(std::move(item));
}

void MergeEntries(syntax::Specification& to, syntax::Specification& from) {
  Append(to.entries.definitions, from.entries.definitions);
  Append(to.entries.types, from.entries.types);
  Append(to.entries.modules, from.entries.modules);
  Append(to.entries.imports, from.entries.imports);
  Append(to.inputs, from.inputs);
  Append(to.outputs, from.outputs);
  Append(to.annotations, from.annotations);
  Append(to.annotation_definitions, from.annotation_definitions);
  Append(to.features, from.features);
}

// Reads included files, relative to the file that names them, each once.
void Include(SourceMap& sources, syntax::Specification& specification, std::set<std::string>& seen,
             std::vector<Diagnostic>& diagnostics) {
  for (const auto& [name, span] : specification.includes) {
    const std::string& from = sources.file(span.file).name();
    size_t slash = from.rfind('/');
    std::string path = name.starts_with('/') || slash == std::string::npos ? name : from.substr(0, slash + 1) + name;
    if (!seen.insert(path).second) continue;
    Result<uint32_t> file = seen.size() > kMaxIncludes
                                ? Result<uint32_t>(MakeError(ErrorCode::kLimit, "too many included files"))
                                : sources.AddFromDisk(path);
    if (!file && !path.ends_with(".tessla")) {
      if (Result<uint32_t> longer = sources.AddFromDisk(path + ".tessla")) file = longer;
    }
    if (!file) {
      diagnostics.push_back({Severity::kError, span, "cannot include: " + file.error().message, "", {}});
      continue;
    }
    auto included = ParseSpecification(sources, *file, diagnostics);
    Include(sources, *included, seen, diagnostics);
    MergeEntries(specification, *included);
  }
}

void CollectNames(const syntax::Expr& expr, std::set<std::string>& names) {
  if (expr.kind == syntax::Expr::Kind::kName) names.insert(expr.name);
  if (expr.kind == syntax::Expr::Kind::kMember && expr.args[0]->kind == syntax::Expr::Kind::kName) {
    names.insert(expr.args[0]->name + "." + expr.name);
  }
  for (const auto& arg : expr.args) CollectNames(*arg, names);
  for (const auto& part : expr.parts) {
    if (part.expr) CollectNames(*part.expr, names);
  }
  for (const auto& definition : expr.definitions) CollectNames(*definition->body, names);
}

using NamedFunctions = std::vector<std::pair<std::string, syntax::Definition*>>;

// `def f = g`: another name of a function, for all that is known here.
bool IsAlias(const syntax::Definition& definition) {
  return definition.body->kind == syntax::Expr::Kind::kName || definition.body->kind == syntax::Expr::Kind::kMember;
}

// Every function with the names it can be called by: `f`, and `M.f` in a module.
void CollectFunctions(syntax::Entries& entries, const std::string& prefix, NamedFunctions& functions);
void CollectFunctions(syntax::Expr& expr, NamedFunctions& functions) {
  for (auto& definition : expr.definitions) {
    if (definition->is_function || IsAlias(*definition)) functions.emplace_back(definition->name, definition.get());
    CollectFunctions(*definition->body, functions);
  }
  for (auto& arg : expr.args) CollectFunctions(*arg, functions);
}
void CollectFunctions(syntax::Entries& entries, const std::string& prefix, NamedFunctions& functions) {
  for (auto& definition : entries.definitions) {
    if (definition->is_function || IsAlias(*definition)) {
      functions.emplace_back(definition->name, definition.get());
      if (!prefix.empty()) functions.emplace_back(prefix + definition->name, definition.get());
    }
    CollectFunctions(*definition->body, functions);
  }
  for (auto& module : entries.modules) CollectFunctions(module->entries, module->name + ".", functions);
}

void MarkLibrary(syntax::Entries& entries) {
  for (auto& definition : entries.definitions) definition->in_library = true;
  for (auto& module : entries.modules) MarkLibrary(module->entries);
}

std::unique_ptr<syntax::Specification> ParseLibrary(SourceMap& sources, std::string name, std::string_view text,
                                                    std::vector<Diagnostic>& diagnostics) {
  uint32_t file = sources.Add(std::move(name), std::string(text));
  auto library = ParseSpecification(sources, file, diagnostics);
  MarkLibrary(library->entries);
  return library;
}

}  // namespace

void FindRecursion(syntax::Entries& entries) {
  NamedFunctions functions;
  CollectFunctions(entries, "", functions);
  std::map<syntax::Definition*, std::set<syntax::Definition*>> calls;
  for (const auto& [name, definition] : functions) {
    std::set<std::string> names;
    CollectNames(*definition->body, names);
    for (const syntax::Parameter& parameter : definition->parameters) names.erase(parameter.name);
    for (const auto& [other, target] : functions) {
      if (names.contains(other)) calls[definition].insert(target);
    }
  }
  for (const auto& [definition, direct] : calls) {
    std::set<syntax::Definition*> reached;
    std::vector<syntax::Definition*> work(direct.begin(), direct.end());
    while (!work.empty()) {
      syntax::Definition* next = work.back();
      work.pop_back();
      if (!reached.insert(next).second) continue;
      for (syntax::Definition* callee : calls[next]) work.push_back(callee);
    }
    if (reached.contains(definition)) definition->recursive = true;
  }
}

std::optional<Compiled> Compile(SourceMap& sources, uint32_t file, const CompileOptions& options,
                                std::vector<Diagnostic>& diagnostics) {
  auto specification = ParseSpecification(sources, file, diagnostics);
  std::set<std::string> seen;
  Include(sources, *specification, seen, diagnostics);
  if (HasErrors(diagnostics)) return std::nullopt;
  DialectChoice choice = ChooseDialect(sources, *specification, options.dialect, diagnostics);
  if (HasErrors(diagnostics)) return std::nullopt;
  FindRecursion(specification->entries);
  auto standard = ParseLibrary(sources, "<library>", StandardLibrary(), diagnostics);
  auto dialect = ParseLibrary(sources, "<paper library>", PaperLibrary(), diagnostics);
  Elaborator elaborator(sources, options, diagnostics);
  elaborator.AddLibrary(*standard);
  if (options.check_library) elaborator.CheckUnused(standard->entries, elaborator.scope(), true);
  if (choice.older) elaborator.AddLibrary(*dialect, true);
  Compiled compiled;
  compiled.paper = choice.quoted;
  compiled.dialect = choice.older ? "older TeSSLa (0.4 to 0.7)" : (choice.quoted ? "TeSSLa 1.0" : "TeSSLa 1.2");
  compiled.dialect_reason = choice.reason;
  compiled.graph = elaborator.Run(*specification, choice.older);
  if (HasErrors(diagnostics)) return std::nullopt;
  return compiled;
}

}  // namespace heddle::stream
