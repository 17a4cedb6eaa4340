// What is mapped into a process, and the functions of each program and library, read once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "symbolize/functions.h"

namespace heddle::analysis {

struct MappedModule {
  std::string path;
  uint64_t bias = 0;  // what to add to an address in the file
};

// The ELF files with code in the process.
std::vector<MappedModule> MappedModules(pid_t process);

struct ModuleTable {
  symbolize::ModuleCode code;  // empty for what is not the project's: without debug info, or heddle's runtime
  uint64_t linker_mark = 0;    // of the dynamic linker: `_dl_debug_state`
};

class ModuleTables {
 public:
  const ModuleTable& Of(const std::string& path);

 private:
  std::map<std::string, ModuleTable> tables_;
};

}  // namespace heddle::analysis
