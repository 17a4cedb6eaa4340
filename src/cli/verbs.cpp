#include <array>

#include "cli/verb.h"

namespace heddle::cli {

extern const Verb kCcVerb;
extern const Verb kCheckVerb;
extern const Verb kCompletionVerb;
extern const Verb kCspVerb;
extern const Verb kCxxVerb;
extern const Verb kDetectVerb;
extern const Verb kPredictVerb;
extern const Verb kDeadlockVerb;
extern const Verb kDiffVerb;
extern const Verb kDoctorVerb;
extern const Verb kExplainVerb;
extern const Verb kExploreVerb;
extern const Verb kHistoryVerb;
extern const Verb kLitmusVerb;
extern const Verb kManVerb;
extern const Verb kMonitorVerb;
extern const Verb kRecordVerb;
extern const Verb kRefineVerb;
extern const Verb kReplayVerb;
extern const Verb kReportVerb;
extern const Verb kRunVerb;
extern const Verb kShrinkVerb;
extern const Verb kSuppressVerb;
extern const Verb kTraceVerb;
extern const Verb kVersionVerb;

std::span<const Verb> Verbs() {
  static const std::array verbs = {
      kCheckVerb,  kDetectVerb,     kPredictVerb, kExploreVerb, kRunVerb,     kRecordVerb,   kReplayVerb,
      kShrinkVerb, kDeadlockVerb,   kCcVerb,      kCxxVerb,     kTraceVerb,   kCspVerb,      kMonitorVerb,
      kLitmusVerb, kRefineVerb,     kReportVerb,  kDiffVerb,    kHistoryVerb, kSuppressVerb, kExplainVerb,
      kDoctorVerb, kCompletionVerb, kManVerb,     kVersionVerb,
  };
  return verbs;
}

}  // namespace heddle::cli
