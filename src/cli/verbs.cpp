#include <array>

#include "cli/verb.h"

namespace heddle::cli {

extern const Verb kCspVerb;
extern const Verb kVersionVerb;

std::span<const Verb> Verbs() {
  static const std::array verbs = {
      kCspVerb,
      kVersionVerb,
  };
  return verbs;
}

}  // namespace heddle::cli
