// What a recorded run left in its folder becomes a demo.
#pragma once

#include <string>

#include "analysis/target/controlled_run.h"

namespace heddle::cli {

struct RecordPlaces {
  std::string root;     // of results
  std::string results;  // of this run
  std::string demo;     // exists
};

// Writes the demo, keeps the report and says what there is. An exit code; kExitClean when the demo is there.
int KeepDemo(const analysis::ControlledRun& run, const analysis::ControlledEnd& end, const RecordPlaces& places);

}  // namespace heddle::cli
