// What each kind of finding means, for `heddle explain KIND` and for the rules in SARIF.
#pragma once

#include <string>
#include <string_view>

#include "findings/finding.h"

namespace heddle::findings {

// All texts are plain, wrapped at 80 columns, without a final newline.
struct Explanation {
  Kind kind;
  std::string_view title;    // "Data race"
  std::string_view what;     // what it is
  std::string_view example;  // a minimal program, C
  std::string_view why;      // why it is a bug
  std::string_view fix;      // how to mend it
  std::string_view proves;   // what heddle knows when it says so
};

const Explanation& Explain(Kind kind);

// The whole text, ending in a newline.
std::string ExplanationText(const Explanation& explanation);

}  // namespace heddle::findings
