// The memory locations of global variables, from debug information: which bytes are padding, which bit-fields share a
// location, what is volatile, what a scalar holds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/trace/trace.h"

namespace heddle::refine {

// By name of the variable.
using Layouts = std::map<std::string, std::vector<ByteInfo>>;

// Of a linked file or an object with debug information; empty without it.
Result<Layouts> ReadLayouts(const std::string& path);

// Source lines of code addresses.
class LineTable {
 public:
  static Result<LineTable> Open(const std::string& path);
  ~LineTable();
  LineTable(LineTable&&) noexcept;
  LineTable& operator=(LineTable&&) = delete;

  uint32_t LineOf(uint64_t address) const;  // 0: unknown
  std::string FileOf(uint64_t address) const;

 private:
  struct Parts;
  explicit LineTable(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::refine
