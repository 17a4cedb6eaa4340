// Any bytes as a schedule, as steps and as what a run says: no crash, and what is read is written and read back the
// same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sched/control_lines.h"
#include "sched/schedule.h"
#include "sched/steps_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::sched;
  std::string text(reinterpret_cast<const char*>(data), size);
  ParseControlLines(text);
  std::string padded = text;
  padded.resize(kStepsHeaderBytes + kLiveBytes + size);
  (void)ParseSteps("fuzz", padded);
  auto schedule = ParseSchedule("fuzz", text);
  if (!schedule.ok()) {
    if (schedule.error().message.empty()) std::abort();
    return 0;
  }
  auto again = ParseSchedule("fuzz", PrintSchedule(*schedule));
  if (!again.ok() || again->Steps() != schedule->Steps() || again->runs.size() != schedule->runs.size()) std::abort();
  if (schedule->Steps() < 100000) CompileSchedule(*schedule);
  return 0;
}
