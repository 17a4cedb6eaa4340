// Events of streams that are marked @finding("kind") become findings: one for each stream and place, with a count.
//
// Bounded: what is kept depends on the number of distinct findings, not on the length of the trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stream/machine.h"

namespace heddle::stream {

struct MonitorFinding {
  std::string kind;
  std::string stream;
  int64_t first_time = 0;
  uint64_t count = 0;
  // The other outputs at the first time, as name and text: the line, the function, the thread, the locks.
  std::vector<std::pair<std::string, std::string>> details;
};

class FindingCollector {
 public:
  explicit FindingCollector(const Program& program) : program_(program) {}

  void Event(int64_t time, const OutputEvent& event);
  // Closes the last timestamp and returns what was found, in order of first time.
  std::vector<MonitorFinding> Finish();

 private:
  static constexpr size_t kMaxFindings = 10'000;

  void CloseStep();

  const Program& program_;
  int64_t time_ = -1;
  std::vector<std::pair<uint32_t, std::string>> step_;
  std::map<std::string, MonitorFinding> findings_;
};

// The report as JSON, schema heddle/report/1, which all verbs share.
struct ReportFacts {
  std::string specification;
  std::string trace;
  uint64_t events = 0;
  uint64_t steps = 0;
  double seconds = 0;
  int exit = 0;
  bool complete = true;  // the whole trace was read
};
std::string ReportJson(const std::vector<MonitorFinding>& findings, const ReportFacts& facts);

}  // namespace heddle::stream
