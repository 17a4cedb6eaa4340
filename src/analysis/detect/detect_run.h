// One run of a program under the detector, at full speed. What `heddle detect` does, without options and printing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/target/target.h"
#include "base/result.h"
#include "findings/report.h"

namespace heddle::analysis {

struct DetectRun {
  std::vector<std::string> command;
  Target* target = &Processes();            // what runs it
  std::string folder;                       // of the results; exists
  bool release_sequences_of_cxx11 = false;  // else those of C++20
  bool weak = false;                        // atomic loads may read older stores
  uint32_t seed = 0;                        // weak: decides which
  uint32_t stores = 128;                    // weak: kept for each atomic location
  double seconds = 0;                       // > 0: the program is ended after that time
};

struct DetectEnd {
  findings::Report report;
  // What the program and the environment ask of ThreadSanitizer (TSAN_OPTIONS) holds here too.
  std::string suppressions;                     // rules that the program brings itself, one a line
  std::function<void(findings::Report&)> hide;  // marks what options hide, after suppressions were applied
};

// Errors: kNotFound and kIo when the program cannot be started, kUnsupported when it was not built with heddle cc.
Result<DetectEnd> DetectProgram(const DetectRun& run);

}  // namespace heddle::analysis
