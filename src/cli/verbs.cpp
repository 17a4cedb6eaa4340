#include <array>

#include "cli/verb.h"

namespace heddle::cli {

extern const Verb kReportVerb;
extern const Verb kDiffVerb;
extern const Verb kSuppressVerb;
extern const Verb kExplainVerb;
extern const Verb kDoctorVerb;
extern const Verb kVersionVerb;

std::span<const Verb> Verbs() {
  static const std::array verbs = {
      kReportVerb, kDiffVerb, kSuppressVerb, kExplainVerb, kDoctorVerb, kVersionVerb,
  };
  return verbs;
}

}  // namespace heddle::cli
