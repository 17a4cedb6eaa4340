// Where the operations of a schedule are in the source, for its comments. One object may serve many runs of a program:
// as long as its modules lie where they lay, nothing is looked up twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/symbolizer.h"
#include "trace/info.h"

namespace heddle::analysis {

class StepPlaces {
 public:
  // The addresses that follow are of a process with these modules.
  void Use(const trace::TraceInfo& info);

  const std::string& Of(uint64_t pc);

 private:
  std::string Describe(uint64_t pc);

  std::string layout_;
  std::unique_ptr<symbolize::Symbolizer> symbolizer_;
  std::unordered_map<uint64_t, std::string> known_;
};

}  // namespace heddle::analysis
