// A place in the program as a person reads it: one frame of a stack, symbolized. Addresses never get this far; a frame
// without debug info keeps its module and the offset in it, which is the same in every run of the same build.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct Frame {
  std::string function;        // demangled; empty when unknown
  std::string file;            // as the debug info says it; empty when unknown
  uint32_t line = 0;           // from 1; 0 when unknown
  uint32_t column = 0;         // from 1; 0 when unknown
  uint32_t function_line = 0;  // where the function begins; 0 when unknown (see fingerprint.h for its use)
  bool inlined = false;        // this function was inlined into the next frame
  std::string module;          // path of the program or library; may be empty
  uint64_t module_offset = 0;  // of the instruction, from the module's load base

  bool operator==(const Frame&) const = default;
};

// Innermost frame first.
using Stack = std::vector<Frame>;

// True for code that the user did not write: the C and C++ libraries, headers under /usr, the heddle runtime.
bool IsLibraryFrame(const Frame& frame);

// The innermost frame that is the user's own; the innermost of all when there is none; nullptr for an empty stack.
const Frame* UserFrame(const Stack& stack);

// The last part of a path.
std::string Basename(const std::string& path);

// "hb.c:5"; "libx.so+0x12f" when there is no line; "?" when nothing is known.
std::string ShortPlace(const Frame& frame);

}  // namespace heddle
