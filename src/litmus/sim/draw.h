// Drawings of executions: threads as columns, program order downwards, communication coloured, the cycle of a broken
// check in bold.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.h"
#include "litmus/sim/simulate.h"

namespace heddle::litmus {

struct Drawing {
  std::string title;
  std::string note;  // which check forbids it; empty: allowed
  const Witness* witness = nullptr;
  std::vector<int> cycle;  // events
};

// One drawing for each state, and the forbidden execution when there is one. `result` must outlive them.
std::vector<Drawing> DrawingsOf(const Test& test, const std::string& model, const SimResult& result);

// The same as a finding's steps, for the report page: a column for each thread, arrows for rf, co, fr and dependencies.
findings::Finding ViewOf(const Test& test, const Drawing& drawing);

// For Graphviz: a graph for each drawing.
std::string DotText(const Test& test, const std::vector<Drawing>& drawings);
// The body of a page: a heading and an SVG for each drawing.
std::string HtmlBody(const Test& test, const std::vector<Drawing>& drawings);
std::string HtmlPage(const std::string& body);

}  // namespace heddle::litmus
