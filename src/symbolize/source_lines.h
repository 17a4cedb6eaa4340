// The text of source lines for reports. A file that is gone gives empty lines: the report still has the place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/source.h"

namespace heddle::symbolize {

// Reads each file once and keeps it. Not thread-safe.
class SourceLines {
 public:
  // Line (from 1) without leading and trailing blanks; empty when the file or the line is not there.
  std::string Line(const std::string& file, uint32_t line);

 private:
  std::unordered_map<std::string, std::unique_ptr<SourceFile>> files_;  // null: could not be read
};

}  // namespace heddle::symbolize
