// Where the program's code is in the source, by its debug info.
#pragma once

#include <string>

#include "deadlock/deadlock.h"

namespace llvm {
class DIFile;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

// Absolute, where the debug info says the folder of the compilation.
std::string PathOf(const llvm::DIFile& file);

SourceCode SourceCodeOf(const llvm::Module& module);

}  // namespace heddle::deadlock
