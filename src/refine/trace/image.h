// A linked program in the emulated address space: code at kCodeBase, each writable variable at an address that depends
// only on the names and sizes of the variables, so that builds of one source agree on them, and a stub for each
// function that the object calls but does not have.
//
//   kStubBase    stubs, 16 bytes each; stub 0 is where a thread returns to
//   kCodeBase    code and constants
//   kDataBase    writable variables, with unused bytes between them
//   kStackBase   the thread's stack
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/trace/arch.h"
#include "refine/trace/layout.h"

namespace heddle::refine {

inline constexpr uint64_t kStubBase = 0x5bff0000;
inline constexpr uint64_t kCodeBase = 0x5c000000;
inline constexpr uint64_t kDataBase = 0x5e000000;
inline constexpr uint64_t kStackBase = 0x6f000000;
inline constexpr uint64_t kStackSize = 0x100000;

struct ImageVariable {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool is_static = false;  // not visible outside of its object
};

struct Image {
  const ArchInfo* arch = nullptr;
  std::string build;                          // for Trace::build
  std::string path;                           // of the linked file, for lines; must outlive the image's use of them
  std::vector<uint8_t> code;                  // from kCodeBase
  std::vector<uint8_t> data;                  // from kDataBase, initial values
  std::vector<ImageVariable> variables;       // writable, by address
  std::map<std::string, uint64_t> functions;  // name to address
  std::vector<std::string> stubs;             // [0] is empty
  bool has_thread_local = false;              // variables, which are not in `data`
  std::shared_ptr<const Layouts> layouts;     // may be of another build of the same source and target
};

struct LinkOptions {
  std::string build;
  std::shared_ptr<const Layouts> layouts;  // null: read from the object's debug information
};

// Links object files with lld into `folder` and loads the result.
Result<Image> LinkImage(const std::vector<std::string>& objects, const std::string& folder, const LinkOptions& options);

}  // namespace heddle::refine
