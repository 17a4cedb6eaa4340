#include "deadlock/races/prune_list.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <tuple>

#include "deadlock/input/source_code.h"

namespace heddle::deadlock {
namespace {

struct Place {
  bool safe = true;
  size_t accesses = 0;
};
using Key = std::tuple<const llvm::DIFile*, unsigned, unsigned>;

// Files with code or variables of the program.
std::set<const llvm::DIFile*> FilesOf(const llvm::Module& module) {
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  std::set<const llvm::DIFile*> files;
  for (const llvm::DICompileUnit* unit : finder.compile_units()) files.insert(unit->getFile());
  for (const llvm::DISubprogram* function : finder.subprograms()) files.insert(function->getFile());
  for (const llvm::DIGlobalVariableExpression* variable : finder.global_variables()) {
    files.insert(variable->getVariable()->getFile());
  }
  for (const llvm::DIScope* scope : finder.scopes()) files.insert(scope->getFile());
  for (const llvm::DIType* type : finder.types()) files.insert(type->getFile());
  files.erase(nullptr);
  return files;
}

std::map<Key, Place> PlacesIn(const llvm::Module& module, const AccessLog& log, const Races& races, PruneList* list) {
  std::map<Key, Place> places;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      if (UsesOf(at).empty()) continue;
      bool plain = llvm::isa<llvm::LoadInst>(at) || llvm::isa<llvm::StoreInst>(at);
      // What is not reached does not happen; mostly the rest of a function that was inlined wherever it is called.
      if (log.reached().count(&at) == 0) continue;
      const llvm::DILocation* location = at.getDebugLoc().get();
      if (location == nullptr || location->getLine() == 0 || location->getColumn() == 0) continue;
      if (plain) ++list->all_accesses;
      Place& place = places[{location->getFile(), location->getLine(), location->getColumn()}];
      place.safe = place.safe && log.unknown().count(&at) == 0 && log.outside().count(&at) == 0 &&
                   races.racing().count(&at) == 0;
      place.accesses += plain ? 1 : 0;
    }
  }
  return places;
}

}  // namespace

PruneList MakePruneList(const llvm::Module& module, const AccessLog& log, const Races& races) {
  PruneList list;
  std::map<const llvm::DIFile*, size_t> numbers;
  std::map<std::string, size_t> by_path;
  list.text = "heddle-prune 1\n";
  std::multimap<std::string, const llvm::DIFile*> files;
  for (const llvm::DIFile* file : FilesOf(module)) files.emplace(PathOf(*file), file);
  for (const auto& [path, file] : files) {
    auto checksum = file->getChecksum();
    if (!checksum || checksum->Kind != llvm::DIFile::CSK_MD5) {
      // "<built-in>", and headers of the system that clang gives no checksum now and then: not listed, so all watched.
      if (file->getFilename().starts_with("<") || path.starts_with("/usr/")) continue;
      list.missing_file = path;
      return list;
    }
    auto [place, fresh] = by_path.try_emplace(path, by_path.size());
    numbers[file] = place->second;
    if (fresh) list.text += fmt::format("file {} {}\n", checksum->Value.str(), path);
  }
  std::set<std::tuple<size_t, unsigned, unsigned>> sorted;
  for (const auto& [key, place] : PlacesIn(module, log, races, &list)) {
    auto number = numbers.find(std::get<0>(key));
    if (!place.safe || place.accesses == 0 || number == numbers.end()) continue;
    sorted.insert({number->second, std::get<1>(key), std::get<2>(key)});
    list.accesses += place.accesses;
  }
  for (const auto& [file, line, column] : sorted) list.text += fmt::format("at {} {} {}\n", file, line, column);
  list.places = sorted.size();
  return list;
}

}  // namespace heddle::deadlock
