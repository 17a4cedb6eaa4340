// The core graph made ready to run: ordered, without duplicates, with what the analyses found out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "stream/core/core.h"

namespace heddle::stream {

struct NodeFacts {
  bool held = false;       // its newest value must outlive the step
  bool give_away = false;  // a `last` that moves the held value out instead of copying it; see analysis.cpp
  std::vector<bool> take;  // for each argument: this is the last use of that node's value in the step
};

struct Program {
  Graph graph;
  std::vector<NodeFacts> facts;  // by node
  bool paper = false;            // strings are printed as literals
  std::string dialect;
  std::string dialect_reason;
};

// Resolves placeholders, finds illegal cycles, shares equal nodes, drops what no output needs, orders the rest.
std::optional<Graph> Optimise(Graph graph, std::vector<Diagnostic>& diagnostics);

Program Analyse(Graph graph, bool paper);

// Everything from file to program; the usual entry. On failure the diagnostics say why.
struct CompileOptions;
std::optional<Program> BuildProgram(SourceMap& sources, uint32_t file, const CompileOptions& options,
                                    std::vector<Diagnostic>& diagnostics);

// The graph as text, one equation a line, for `--print-core` and tests.
std::string CoreText(const Graph& graph);
std::string ExprText(const ExprRef& expr);

}  // namespace heddle::stream
