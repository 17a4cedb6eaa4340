// Reports as SARIF 2.1.0, for code hosts and editors.
//
// One result a finding; one rule a kind that occurs; a code flow with one threadFlow a thread, whose locations carry
// executionOrder (steps that are unordered share a number); the fingerprint as partialFingerprints["heddle/v1"];
// suppressed findings stay, with `suppressions`, and findings of the baseline get baselineState "unchanged".
#pragma once

#include <string>

#include "findings/report.h"

namespace heddle::findings {

struct SarifOptions {
  // Files below this folder are written relative to it (uriBaseId SRCROOT), as code hosts want them. Absolute, without
  // a final slash; empty: all paths as they are.
  std::string source_root;
  bool baseline = false;  // a baseline was applied: results say whether they are new or unchanged
};

std::string SarifJson(const Report& report, const SarifOptions& options);

}  // namespace heddle::findings
