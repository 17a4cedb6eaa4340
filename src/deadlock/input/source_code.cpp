#include "deadlock/input/source_code.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace heddle::deadlock {

std::string PathOf(const llvm::DIFile& file) {
  std::filesystem::path path(file.getFilename().str());
  if (path.is_relative()) path = std::filesystem::path(file.getDirectory().str()) / path;
  return path.lexically_normal().string();
}

SourceCode SourceCodeOf(const llvm::Module& module) {
  SourceCode code;
  std::map<const llvm::DISubprogram*, unsigned> last;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      for (const llvm::DILocation* place = at.getDebugLoc().get(); place != nullptr; place = place->getInlinedAt()) {
        unsigned& line = last[place->getScope()->getSubprogram()];
        line = std::max(line, place->getLine());
      }
    }
  }
  for (const auto& [function, line] : last) {
    if (function->getFile() == nullptr) continue;
    code.functions.push_back({PathOf(*function->getFile()), function->getLine(), std::max(line, function->getLine())});
  }
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  auto add = [&code](const llvm::DIFile* file) {
    if (file != nullptr) code.files.insert(PathOf(*file));
  };
  for (const llvm::DICompileUnit* unit : finder.compile_units()) {
    if (unit->getFile() == nullptr) continue;
    code.units.insert(PathOf(*unit->getFile()));
    add(unit->getFile());
  }
  for (const llvm::DISubprogram* function : finder.subprograms()) add(function->getFile());
  for (const llvm::DIScope* scope : finder.scopes()) add(scope->getFile());
  for (const llvm::DIType* type : finder.types()) add(type->getFile());
  return code;
}

}  // namespace heddle::deadlock
