// The bitcode that an object carries for `heddle deadlock` (wire/embedded_bitcode.h).
#pragma once

#include <string>

namespace llvm {
class Module;
}

namespace heddle::instrument {

// Makes the object of `module` carry the file `path`. Returns an error's text; empty: done.
std::string EmbedBitcode(llvm::Module& module, const std::string& path);

}  // namespace heddle::instrument
