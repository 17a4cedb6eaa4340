// One ELF file with its symbol table and DWARF, asked by addresses of the file (not of a process). What the Symbolizer
// stands on; nobody else includes it. LLVM's readers do the work, and nothing of LLVM is seen here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "symbolize/symbolizer.h"

namespace heddle::symbolize {

class DebugFile {
 public:
  // `build_id` (hex) must be the file's own unless it is empty. Debug info in a separate file is found by build id
  // below /usr/lib/debug.
  static Result<std::unique_ptr<DebugFile>> Open(const std::string& path, const std::string& build_id);
  ~DebugFile();

  // The functions at a code address, innermost inlined one first; empty when nothing is known. Module and offset of the
  // frames are the caller's to fill in.
  Stack Code(uint64_t address) const;

  // The variable that contains the address, its module left empty.
  std::optional<Variable> Data(uint64_t address, uint64_t size) const;

 private:
  struct Parts;
  explicit DebugFile(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::symbolize
