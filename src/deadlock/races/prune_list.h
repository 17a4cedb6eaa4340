// The list of accesses that cannot race, for `heddle cc --prune` (docs/static-races.md).
//
// An access is named by the checksum of its file, line and column, as debug info has them, so that a list for another
// version of a file names nothing in this one. It is in the list only if all that the program does there is free of
// races.
#pragma once

#include <string>

#include "deadlock/races/accesses.h"
#include "deadlock/races/races.h"

namespace heddle::deadlock {

struct PruneList {
  std::string text;
  size_t places = 0;         // lines and columns that are listed
  size_t accesses = 0;       // loads and stores of the analysed code there
  size_t all_accesses = 0;   // all that are reached and have a place
  std::string missing_file;  // a source file without a checksum: no list can be made
};

PruneList MakePruneList(const llvm::Module& module, const AccessLog& log, const Races& races);

}  // namespace heddle::deadlock
