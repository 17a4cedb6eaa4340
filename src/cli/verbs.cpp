#include <array>

#include "cli/verb.h"

namespace heddle::cli {

extern const Verb kMonitorVerb;
extern const Verb kVersionVerb;

std::span<const Verb> Verbs() {
  static const std::array verbs = {
      kMonitorVerb,
      kVersionVerb,
  };
  return verbs;
}

}  // namespace heddle::cli
