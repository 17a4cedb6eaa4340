// Loading scripts, and everything of csp.h except the checks themselves.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "csp/script_impl.h"
#include "csp/syntax/modules.h"
#include "csp/syntax/parser.h"
#include "csp/syntax/typecheck.h"

namespace heddle::csp {
namespace {

const std::vector<KnownName>& KnownNames() {
  static const std::vector<KnownName> names = [] {
    std::vector<KnownName> result;
    for (const BuiltinInfo& info : Builtins()) result.push_back({info.name, info.type, info.group});
    return result;
  }();
  return names;
}

Result<IncludedFile> LoadInclude(const LoadOptions& options, const std::string& from, const std::string& name) {
  namespace fs = std::filesystem;
  std::vector<fs::path> candidates{fs::path(from).parent_path() / name};
  for (const std::string& folder : options.include_paths) candidates.push_back(fs::path(folder) / name);
  for (const fs::path& path : candidates) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    Result<std::string> text = ReadFile(path.string());
    if (!text) return text.error();
    return IncludedFile{path.lexically_normal().string(), text.Take()};
  }
  return MakeError(ErrorCode::kNotFound, fmt::format("there is no file `{}` to include", name));
}

// Modules that nobody instantiates are not in the tree that runs; their types are checked on one of their own.
void CheckModules(SourceMap& sources, uint32_t file, const IncludeLoader& loader,
                  std::vector<Diagnostic>& diagnostics) {
  Ast ast;
  Parse(sources, file, loader, ast, diagnostics);
  if (!diagnostics.empty() || !ExpandForCheck(ast, diagnostics) || !diagnostics.empty()) return;
  TypeCheck(ast, KnownNames(), nullptr, diagnostics, true);
}

}  // namespace

std::string Script::Impl::RenderAll(const std::vector<Diagnostic>& diagnostics) const {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += Render(sources, diagnostic);
  return out;
}

std::string Script::Impl::OneLine(Span span) const {
  std::string out;
  for (char c : sources.TextOf(span)) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

Result<std::unique_ptr<Script>> Script::FromFile(const std::string& path, const LoadOptions& options) {
  Result<std::string> text = ReadFile(path);
  if (!text) return text.error();
  return FromText(path, *text, options);
}

Result<std::unique_ptr<Script>> Script::FromText(const std::string& name, const std::string& text,
                                                 const LoadOptions& options) {
  auto impl = std::make_unique<Impl>();
  std::vector<Diagnostic> diagnostics;
  RunOnLargeStack([&] {
    uint32_t file = impl->sources.Add(name, text);
    IncludeLoader loader = [&](const std::string& from, const std::string& included) {
      return LoadInclude(options, from, included);
    };
    Parse(impl->sources, file, loader, impl->ast, diagnostics);
    if (!diagnostics.empty()) return;
    ExpandModules(impl->ast, diagnostics);
    if (!diagnostics.empty()) return;
    impl->globals = CollectGlobals(impl->ast, diagnostics);
    if (!diagnostics.empty()) return;
    TypeCheck(impl->ast, KnownNames(), nullptr, diagnostics);
    if (diagnostics.empty()) CheckModules(impl->sources, file, loader, diagnostics);
    if (!diagnostics.empty()) return;
    Resolve(impl->ast, impl->globals);
    for (const Decl* decl : impl->ast.top) {
      if (decl->kind == DeclKind::kAssert) impl->assertions.push_back(decl);
      if (decl->kind == DeclKind::kPrint) impl->prints.push_back(decl);
    }
    impl->evaluator = std::make_unique<Evaluator>(impl->sources, impl->globals);
    impl->system = std::make_unique<System>(*impl->evaluator);
    bool finer = std::any_of(impl->assertions.begin(), impl->assertions.end(),
                             [](const Decl* decl) { return decl->assertion.model >= Model::kRevivals; });
    impl->system->stepper().set_all_models(finer);
  });
  if (!diagnostics.empty()) {
    std::string message = impl->RenderAll(diagnostics);
    if (!message.empty()) message.pop_back();
    return MakeError(ErrorCode::kBadInput, std::move(message));
  }
  return std::unique_ptr<Script>(new Script(std::move(impl)));
}

Script::Script(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Script::~Script() = default;

std::vector<AssertionInfo> Script::Assertions() const {
  std::vector<AssertionInfo> out;
  for (const Decl* decl : impl_->assertions) {
    SourceFile::Position position = impl_->sources.PositionOf(decl->span);
    out.push_back({position.line, impl_->sources.file(decl->span.file).name(), impl_->OneLine(decl->span)});
  }
  return out;
}

void Script::UseTermsOnly(bool on) { impl_->system->set_always_lazy(on); }
void Script::UseGradedSearch(bool on) { impl_->use_grades = on; }
void Script::UseGrowingLeaves(bool on) { impl_->system->set_always_grow(on); }

// Finite sets are shown by their elements, except those of events and of datatypes.
std::string Script::Impl::PrintedValue(const Expr* expr) {
  Value value = evaluator->EvalClosed(expr);
  bool listed = value->kind == Kind::kSymbolicSet &&
                (SymbolicKind(value) == SetKind::kSubsets || SymbolicKind(value) == SetKind::kMaps ||
                 SymbolicKind(value) == SetKind::kDots || SymbolicKind(value) == SetKind::kTuples);
  if (listed && evaluator->IsFinite(value)) value = evaluator->Explicit(value, expr->span);
  return evaluator->Show(value);
}

// From the whole declaration: the span of an expression lacks the parentheses around it.
std::string Script::Impl::PrintedText(const Decl* decl) {
  std::string text = OneLine(decl->span);
  return text.substr(text.find_first_not_of(' ', std::string_view("print").size()));
}

std::vector<Printed> Script::Prints(const CheckOptions& options) {
  std::vector<Printed> out;
  RunOnLargeStack([&] {
    for (const Decl* decl : impl_->prints) {
      std::string text = impl_->PrintedText(decl);
      impl_->WatchLimits(options);
      try {
        out.push_back({text, impl_->PrintedValue(decl->expr), false, false});
      } catch (const ScriptError& error) {
        out.push_back({text, Render(impl_->sources, error.diagnostic), true, false});
      } catch (const Stopped& stopped) {
        out.push_back({text, stopped.reason, false, true});
      }
    }
  });
  return out;
}

Result<Value> Script::Impl::ParseProcess(const std::string& text) {
  uint32_t file = sources.Add("process", text);
  std::vector<Diagnostic> diagnostics;
  Expr* expr = ParseExpression(sources, file, ast, diagnostics);
  if (diagnostics.empty() && expr != nullptr) TypeCheck(ast, KnownNames(), expr, diagnostics);
  if (!diagnostics.empty() || expr == nullptr) return MakeError(ErrorCode::kUsage, RenderAll(diagnostics));
  expr->late_unit = ResolveExpression(ast, globals, expr);
  try {
    return evaluator->EvalProcess(expr);
  } catch (const ScriptError& error) {
    return MakeError(ErrorCode::kBadInput, Render(sources, error.diagnostic));
  } catch (const Stopped& stopped) {
    return MakeError(ErrorCode::kBadInput, stopped.reason);
  }
}

Result<Graph> Script::Explore(const std::string& process, size_t max_states) {
  Graph graph;
  Error error;
  bool failed = false;
  RunOnLargeStack([&] {
    Result<uint32_t> root = Begin(process);
    if (!root) {
      error = root.error();
      failed = true;
      return;
    }
    std::unordered_map<uint32_t, uint32_t> number{{*root, 0}};
    std::vector<uint32_t> order{*root};
    graph.states.push_back(Describe(*root));
    graph.complete = true;
    for (uint32_t at = 0; at < order.size(); ++at) {
      Result<std::vector<Choice>> choices = Choices(order[at]);
      if (!choices) {
        error = choices.error();
        failed = true;
        return;
      }
      for (const Choice& choice : *choices) {
        auto [it, fresh] = number.try_emplace(choice.next, static_cast<uint32_t>(order.size()));
        if (fresh && order.size() >= max_states) {
          number.erase(it);
          graph.complete = false;
          continue;
        }
        if (fresh) {
          order.push_back(choice.next);
          graph.states.push_back(Describe(choice.next));
        }
        graph.edges.push_back({at, it->second, choice.event});
      }
    }
  });
  if (failed) return error;
  return graph;
}

uint32_t Script::Impl::Handle(System::State state) {
  auto [it, fresh] = handle_numbers.try_emplace({state.format, state.leaves}, static_cast<uint32_t>(handles.size()));
  if (fresh) handles.push_back(std::move(state));
  return it->second;
}

Result<uint32_t> Script::Begin(const std::string& process) {
  Result<uint32_t> result = 0u;
  RunOnLargeStack([&] {
    Result<Value> term = impl_->ParseProcess(process);
    if (!term) {
      result = term.error();
      return;
    }
    try {
      result = impl_->Handle(impl_->system->Take(*term));
    } catch (const ScriptError& error) {
      result = MakeError(ErrorCode::kBadInput, Render(impl_->sources, error.diagnostic));
    } catch (const Stopped& stopped) {
      result = MakeError(ErrorCode::kBadInput, stopped.reason);
    }
  });
  return result;
}

Result<std::vector<Script::Choice>> Script::Choices(uint32_t state) {
  std::vector<Choice> out;
  std::string failure;
  RunOnLargeStack([&] {
    try {
      System::State from = impl_->handles[state];
      const Format& format = impl_->system->format(from.format);
      for (System::Step& step : impl_->system->Successors(from)) {
        std::string detail;
        for (const auto& [leaf, event] : step.parts) {
          if (event == step.event) continue;
          detail += fmt::format("{}{}: {}", detail.empty() ? "" : ", ", format.leaves[leaf].name,
                                impl_->evaluator->EventName(event));
        }
        out.push_back({impl_->evaluator->EventName(step.event), detail, impl_->Handle(std::move(step.next))});
      }
    } catch (const ScriptError& error) {
      failure = Render(impl_->sources, error.diagnostic);
    } catch (const Stopped& stopped) {
      failure = stopped.reason;
    }
  });
  if (!failure.empty()) return MakeError(ErrorCode::kBadInput, failure);
  return out;
}

std::string Script::Describe(uint32_t state) {
  return impl_->evaluator->ProcessName(impl_->system->Put(impl_->handles[state]));
}

}  // namespace heddle::csp
