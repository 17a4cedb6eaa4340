#include "instrument/pass/prune.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/MemoryBuffer.h>

#include <set>
#include <tuple>
#include <vector>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

struct List {
  StringMap<unsigned> files;  // by checksum; equal files are one
  std::vector<unsigned> numbers;
  std::set<std::tuple<unsigned, unsigned, unsigned>> places;
};

// Whether the file on disk is the one that was analysed.
bool IsUnchanged(StringRef path, StringRef checksum) {
  auto content = MemoryBuffer::getFile(path);
  if (!content) return false;
  MD5 hash;
  hash.update((*content)->getBuffer());
  MD5::MD5Result result;
  hash.final(result);
  return result.digest() == checksum;
}

// Empty, or what is wrong.
std::string Read(StringRef text, List* list) {
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n', -1, false);
  if (lines.empty() || lines[0] != "heddle-prune 1") return "it is not a list of heddle deadlock --prune-list";
  for (StringRef line : drop_begin(lines)) {
    auto [word, rest] = line.split(' ');
    if (word == "file") {
      auto [checksum, path] = rest.split(' ');
      if (!IsUnchanged(path, checksum)) return (path + " has changed since it was made, or is gone").str();
      auto number = list->files.try_emplace(checksum, list->files.size()).first->second;
      list->numbers.push_back(number);
      continue;
    }
    SmallVector<StringRef, 3> fields;
    rest.split(fields, ' ');
    unsigned file = 0, at = 0, column = 0;
    bool wrong = word != "at" || fields.size() != 3 || fields[0].getAsInteger(10, file) ||
                 fields[1].getAsInteger(10, at) || fields[2].getAsInteger(10, column) || file >= list->numbers.size();
    if (wrong) return ("it has a line that is none: " + line).str();
    list->places.insert({list->numbers[file], at, column});
  }
  return "";
}

}  // namespace

Pruned Prune(Module& module, const std::string& path) {
  Pruned pruned;
  auto content = MemoryBuffer::getFile(path);
  if (!content) {
    pruned.refused = content.getError().message();
    return pruned;
  }
  List list;
  pruned.refused = Read((*content)->getBuffer(), &list);
  if (!pruned.refused.empty()) return pruned;
  DenseMap<const DIFile*, int> numbers;  // -1: not in the list
  auto number_of = [&](const DIFile* file) {
    auto [place, fresh] = numbers.try_emplace(file, -1);
    if (fresh && file->getChecksum()) {
      auto known = list.files.find(file->getChecksum()->Value);
      if (known != list.files.end()) place->second = static_cast<int>(known->second);
    }
    return place->second;
  };
  for (Function& function : module) {
    for (Instruction& at : instructions(function)) {
      bool plain = (isa<LoadInst>(at) || isa<StoreInst>(at)) && !at.isAtomic();
      if (!plain) continue;
      ++pruned.all;
      const DILocation* location = at.getDebugLoc().get();
      int file = location == nullptr ? -1 : number_of(location->getFile());
      if (file < 0) continue;
      if (list.places.count({static_cast<unsigned>(file), location->getLine(), location->getColumn()}) == 0) continue;
      at.setMetadata(LLVMContext::MD_nosanitize, MDNode::get(module.getContext(), {}));
      ++pruned.left_out;
    }
  }
  return pruned;
}

}  // namespace heddle::instrument
