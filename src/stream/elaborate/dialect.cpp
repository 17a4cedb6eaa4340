#include "stream/elaborate/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

namespace heddle::stream {
namespace {

using syntax::Feature;
using Use = std::pair<Feature, Span>;

constexpr std::string_view kOldNames[] = {"delayedLast", "mergeValues", "collectSetWithRemove", "collectSet",
                                          "changed"};
constexpr std::string_view kPrefixes[] = {"Set_", "Map_", "List_", "String_"};
constexpr std::string_view kModules[] = {"Set",       "Map", "List", "Option", "OptionUtils", "String",
                                         "Operators", "LTL", "MITL", "Types",  "Tessla",      "CTF"};

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view Described(Feature feature) {
  switch (feature) {
    case Feature::kWalrus:
      return "a definition with `:=`";
    case Feature::kUntypedParameter:
      return "a parameter without a type";
    case Feature::kIfWithoutElse:
      return "`if` without `else`";
    case Feature::kDefine:
      return "`define`";
    case Feature::kOldName:
      return "a function of the older library";
    case Feature::kAngleTypes:
      return "type arguments in `<` and `>`";
    case Feature::kPrint:
      return "`print`";
    case Feature::kFun:
      return "`fun`";
    case Feature::kBuiltin:
      return "`__builtin__`";
    case Feature::kLiftableByAt:
      return "`@liftable`";
    case Feature::kUnderscoreName:
      return "a library name with `_`";
    case Feature::kOpenRecord:
      return "an open record type";
    case Feature::kModule:
      return "a module or an import";
    case Feature::kLibraryModule:
      return "a module of the library";
    case Feature::kLiftable:
      return "`liftable def`";
    case Feature::kExtern:
      return "`extern`";
    case Feature::kStrictness:
      return "`strict` or `lazy`";
    case Feature::kGlobalAnnotation:
      return "a global annotation";
    case Feature::kEquals:
      return "a definition with `=`";
  }
  return "";
}

// Finds the names of the libraries that a specification uses without defining them itself.
class NameScan {
 public:
  explicit NameScan(std::vector<Use>& uses) : uses_(uses) {}

  void Run(const syntax::Specification& specification) {
    Define(specification.entries);
    for (const syntax::Input& input : specification.inputs) own_.insert(input.name);
    Entries(specification.entries);
    for (const syntax::Output& output : specification.outputs) {
      if (output.expr) Walk(*output.expr);
    }
  }

 private:
  void Define(const syntax::Entries& entries) {
    for (const auto& definition : entries.definitions) own_.insert(definition->name);
    for (const auto& module : entries.modules) own_.insert(module->name);
  }

  void Entries(const syntax::Entries& entries) {
    for (const auto& definition : entries.definitions) Walk(*definition->body);
    for (const auto& module : entries.modules) Entries(module->entries);
  }

  void Walk(const syntax::Expr& expr) {
    using Kind = syntax::Expr::Kind;
    if (expr.kind == Kind::kName && !own_.contains(expr.name)) Name(expr);
    if (expr.kind == Kind::kMember && expr.args[0]->kind == Kind::kName && !own_.contains(expr.args[0]->name) &&
        IsOneOf(expr.args[0]->name, kModules)) {
      uses_.emplace_back(Feature::kLibraryModule, expr.span);
    }
    bool call = expr.kind == Kind::kCall && expr.args[0]->kind == Kind::kName;
    if (call && expr.args[0]->name == "last" && expr.args.size() == 2 && !own_.contains("last")) {
      uses_.emplace_back(Feature::kOldName, expr.span);
    }
    for (const auto& arg : expr.args) Walk(*arg);
    for (const auto& part : expr.parts) {
      if (part.expr) Walk(*part.expr);
    }
    for (const auto& definition : expr.definitions) Walk(*definition->body);
  }

  void Name(const syntax::Expr& expr) {
    if (IsOneOf(expr.name, kOldNames)) uses_.emplace_back(Feature::kOldName, expr.span);
    for (std::string_view prefix : kPrefixes) {
      if (expr.name.starts_with(prefix)) uses_.emplace_back(Feature::kUnderscoreName, expr.span);
    }
  }

  std::vector<Use>& uses_;
  std::set<std::string, std::less<>> own_;
};

const Use* First(const std::vector<Use>& uses, bool (*of)(Feature)) {
  auto found = std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return of(use.first); });
  return found == uses.end() ? nullptr : &*found;
}

std::string Line(const SourceMap& sources, const Use& use) {
  SourceFile::Position at = sources.PositionOf(use.second);
  return fmt::format("{}:{}: {}\n", sources.file(use.second.file).name(), at.line, Described(use.first));
}

void ReportMix(const SourceMap& sources, const Use& old, const Use& recent, std::vector<Diagnostic>& diagnostics) {
  SourceFile::Position at = sources.PositionOf(recent.second);
  diagnostics.push_back({Severity::kError,
                         old.second,
                         fmt::format("{} is only in the older TeSSLa, but line {} has {}, which it does not have",
                                     Described(old.first), at.line, Described(recent.first)),
                         "write the file in one dialect, or choose it with --dialect tessla or --dialect paper",
                         {}});
}

}  // namespace

DialectChoice ChooseDialect(const SourceMap& sources, const syntax::Specification& specification, Dialect wanted,
                            std::vector<Diagnostic>& diagnostics) {
  std::vector<Use> uses = specification.features;
  NameScan(uses).Run(specification);
  const Use* old = First(uses, syntax::IsOldOnly);
  // Without a `:=` it is not the older language: what is missing is missing in 1.2.
  if (First(uses, [](Feature feature) { return feature == Feature::kWalrus || feature == Feature::kDefine; }) ==
      nullptr) {
    old = nullptr;
  }
  const Use* middle = First(uses, syntax::IsBeforeModules);
  const Use* recent = First(uses, syntax::IsNewOnly);
  DialectChoice choice;
  choice.older = wanted == Dialect::kPaper || (wanted == Dialect::kAuto && old != nullptr);
  choice.quoted = wanted != Dialect::kTessla && (choice.older || middle != nullptr);
  if (wanted != Dialect::kAuto) {
    choice.reason = "chosen by --dialect\n";
    return choice;
  }
  if (old != nullptr && recent != nullptr) ReportMix(sources, *old, *recent, diagnostics);
  for (const Use* use : {old, middle, recent}) {
    if (use != nullptr) choice.reason += Line(sources, *use);
  }
  if (choice.reason.empty()) choice.reason = "nothing in it differs between the versions\n";
  return choice;
}

}  // namespace heddle::stream
