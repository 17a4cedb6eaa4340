#include <array>

#include "cli/verb.h"

namespace heddle::cli {

extern const Verb kCcVerb;
extern const Verb kCxxVerb;
extern const Verb kTraceVerb;
extern const Verb kVersionVerb;

std::span<const Verb> Verbs() {
  static const std::array verbs = {
      kCcVerb,
      kCxxVerb,
      kTraceVerb,
      kVersionVerb,
  };
  return verbs;
}

}  // namespace heddle::cli
