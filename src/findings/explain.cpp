#include "findings/explain.h"

#include <fmt/format.h>

#include "findings/explain_texts.h"

namespace heddle::findings {
namespace {

std::string Indented(std::string_view text) {
  std::string out = "    ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out;
}

}  // namespace

const Explanation& Explain(Kind kind) {
  for (const Explanation& explanation : OrderExplanations()) {
    if (explanation.kind == kind) return explanation;
  }
  for (const Explanation& explanation : OutcomeExplanations()) {
    if (explanation.kind == kind) return explanation;
  }
  return OrderExplanations().front();  // not reached: a test asks for every kind
}

std::string ExplanationText(const Explanation& explanation) {
  return fmt::format(
      "{} ({})\n\n{}\n\nExample\n\n{}\n\nWhy it is a bug\n\n{}\n\nHow to fix it\n\n{}\n\n"
      "What heddle knows when it reports one\n\n{}\n",
      explanation.title, KindName(explanation.kind), Indented(explanation.what), Indented(explanation.example),
      Indented(explanation.why), Indented(explanation.fix), Indented(explanation.proves));
}

}  // namespace heddle::findings
