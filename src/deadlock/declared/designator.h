// A lock as an attribute names it, found in the debug info.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <optional>
#include <string>

#include "deadlock/declared/declarations.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace heddle::deadlock {

constexpr int64_t kByteBits = 8;  // debug info counts bits

// Where the attribute stands.
struct AttributePlace {
  const llvm::DICompositeType* type = nullptr;  // of a member, or of the method's class
  int64_t member_offset = 0;                    // of the annotated member in it
  const llvm::Function* function = nullptr;
  std::string file;  // without the folder
};

std::optional<DeclaredLock> FindLock(const llvm::Module& module, const std::string& text, const AttributePlace& place);

// "a, b(c, d)" -> "a", "b(c, d)".
std::vector<std::string> SplitArguments(const std::string& text);

// Without typedefs and qualifiers.
const llvm::DIType* Plain(const llvm::DIType* type);

std::string FileName(const llvm::DIScope* scope);

}  // namespace heddle::deadlock
