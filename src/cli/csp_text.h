// What `heddle csp` says about a script, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csp/csp.h"

namespace heddle::cli {

struct CspShow {
  bool internal = false;  // counterexamples with hidden events and who performed them
  bool tree = false;      // and with what each component did
  bool quiet = false;     // nothing about what passed
};

std::string CspCount(uint64_t n, const char* what);  // "1 state", "2 states"
const char* CspVerdict(csp::Verdict verdict);        // as it is shown
// The components of a counterexample, in the order in which they first took part.
std::vector<std::string> CspComponents(const csp::CheckResult& result);
// What a component did in a step; empty when it took no part.
std::string CspPartOf(const csp::InternalStep& step, const std::string& component);
void PrintCspResult(const csp::CheckResult& result, const CspShow& show);
void PrintCspValues(const std::vector<csp::Printed>& prints, const CspShow& show);

}  // namespace heddle::cli
