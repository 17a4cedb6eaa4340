// A compiler command line, understood as far as the driver needs it.
#pragma once

#include <string>
#include <vector>

#include "instrument/driver.h"

namespace heddle::instrument {

enum class Stage { kPreprocess, kCompile, kAssemble, kLink };

struct CommandLine {
  Stage stage = Stage::kLink;          // where the command stops
  std::vector<size_t> sources;         // indices of inputs that are compiled
  std::vector<size_t> inputs;          // indices of all inputs
  std::string output;                  // of -o; empty when absent
  size_t output_index = SIZE_MAX;      // of the argument that holds -o
  bool debug_info_given = false;       // some -g option
  bool is_static = false;              // -static or -static-pie
  bool relocatable = false;            // -r
  bool writes_dependencies = false;    // -MD or -MMD
  bool dependency_file_given = false;  // -MF
};

CommandLine ParseCommandLine(const Arguments& arguments);

// How many arguments the option at `index` takes, itself included.
size_t OptionWidth(const Arguments& arguments, size_t index);

}  // namespace heddle::instrument
