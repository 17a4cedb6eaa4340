// What a Script holds; private to src/csp.
#pragma once

#include <map>

#include "base/source.h"
#include "csp/csp.h"
#include "csp/eval/evaluator.h"
#include "csp/lts/format.h"
#include "csp/refine/search.h"

namespace heddle::csp {

struct Script::Impl {
  SourceMap sources;
  Ast ast;
  Globals globals;
  std::vector<const Decl*> assertions;
  std::vector<const Decl*> prints;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<System> system;
  bool use_grades = true;
  Peers* peers = nullptr;  // of the check under way
  std::vector<System::State> handles;
  std::map<std::pair<uint32_t, std::vector<uint32_t>>, uint32_t> handle_numbers;

  std::string RenderAll(const std::vector<Diagnostic>& diagnostics) const;
  std::string PrintedValue(const Expr* expr);
  std::string PrintedText(const Decl* decl);
  std::string OneLine(Span span) const;
  Result<Value> ParseProcess(const std::string& text);
  uint32_t Handle(System::State state);

  // check.cpp
  void WatchLimits(const CheckOptions& options);
  CheckResult Check(size_t index, const CheckOptions& options);
  void Decide(const Assertion& assertion, const CheckOptions& options, CheckResult& result);
  void CheckRefinement(const Assertion& assertion, const Limits& limits, int jobs, CheckResult& result);
  void CheckProperty(const Assertion& assertion, const Limits& limits, int jobs, CheckResult& result);
  void CheckDeterminism(const Assertion& assertion, const Limits& limits, CheckResult& result);
  void CheckHasTrace(const Assertion& assertion, const Limits& limits, CheckResult& result);
  void TakeSearch(const SearchResult& found, Spec* spec, CheckResult& result);
  void Explain(const SearchResult& found, Spec* spec, CheckResult& result);
  SearchResult ReducedSearch(Question question, const Limits& limits);
  Value Implementation(const Assertion& assertion, const Expr* expr);
  std::string EventSetText(const std::vector<EventId>& events) const;
};

}  // namespace heddle::csp
