// A section whose name is a C identifier is the array from __start_NAME to __stop_NAME. The variables in it become
// elements of one new variable, in the order of the files; every use of them, of the start and of the end is an address
// in it. So a loop from start to end reads what the variables were initialised with, and a lock in such a variable is
// one lock by either way. Tests: tests/deadlock/programs/section_*.c.
#include "deadlock/input/sections.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::deadlock {
namespace {

using llvm::Constant;
using llvm::GlobalVariable;

// Sections of the compiler and of the loader; what the latter runs is seen elsewhere (hidden_calls.cpp, facts.cpp).
bool IsUsualSection(llvm::StringRef name) {
  for (const char* start : {".data", ".bss", ".rodata", ".ldata", ".lbss", ".lrodata", ".tdata", ".tbss", ".init_array",
                            ".preinit_array", ".fini_array", ".ctors", ".dtors", ".note", "llvm."}) {
    if (name.starts_with(start)) return true;
  }
  return name.empty();
}

GlobalVariable* Joined(llvm::Module& module, const std::string& section, const std::vector<GlobalVariable*>& parts) {
  std::vector<llvm::Type*> types;
  std::vector<Constant*> values;
  bool constant = true, local = true;
  for (const GlobalVariable* part : parts) {
    types.push_back(part->getValueType());
    values.push_back(const_cast<Constant*>(part->getInitializer()));  // NOLINT: constants are shared
    constant &= part->isConstant();
    local &= part->hasLocalLinkage();
  }
  bool alike = std::all_of(types.begin(), types.end(), [&](llvm::Type* type) { return type == types.front(); });
  Constant* value = nullptr;
  if (alike) {
    value = llvm::ConstantArray::get(llvm::ArrayType::get(types.front(), types.size()), values);
  } else {
    value = llvm::ConstantStruct::get(llvm::StructType::get(module.getContext(), types), values);
  }
  auto linkage = local ? llvm::GlobalValue::InternalLinkage : llvm::GlobalValue::ExternalLinkage;
  return new GlobalVariable(module, value->getType(), constant, linkage, value, section);
}

void Join(llvm::Module& module, const std::string& section, const std::vector<GlobalVariable*>& parts) {
  llvm::SmallPtrSet<Constant*, 8> gone(parts.begin(), parts.end());
  llvm::removeFromUsedLists(module, [&](Constant* one) { return gone.contains(one->stripPointerCasts()); });
  GlobalVariable* whole = Joined(module, section, parts);
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  for (unsigned i = 0; i < parts.size(); ++i) {
    Constant* path[] = {llvm::ConstantInt::get(number, 0), llvm::ConstantInt::get(number, i)};
    parts[i]->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(whole->getValueType(), whole, path));
    parts[i]->eraseFromParent();
  }
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  Constant* size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()),
                                          module.getDataLayout().getTypeAllocSize(whole->getValueType()));
  if (GlobalVariable* start = module.getNamedGlobal("__start_" + section)) start->replaceAllUsesWith(whole);
  if (GlobalVariable* stop = module.getNamedGlobal("__stop_" + section))
    stop->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(byte, whole, size));
}

}  // namespace

void JoinSections(llvm::Module& module) {
  std::set<std::string> sections;
  for (const GlobalVariable& global : module.globals()) {
    llvm::StringRef name = global.getName();
    if (global.isDeclaration() && (name.consume_front("__start_") || name.consume_front("__stop_")))
      sections.insert(name.str());
  }
  for (const std::string& section : sections) {
    std::vector<GlobalVariable*> parts;
    for (GlobalVariable& global : module.globals()) {
      if (global.getSection() == section && global.hasInitializer() && !global.isThreadLocal())
        parts.push_back(&global);
    }
    if (!parts.empty()) Join(module, section, parts);
  }
}

std::set<const GlobalVariable*> FoundByPlace(const llvm::Module& module) {
  std::set<const GlobalVariable*> found;
  for (const GlobalVariable& global : module.globals()) {
    if (global.hasInitializer() && !IsUsualSection(global.getSection())) found.insert(&global);
  }
  return found;
}

}  // namespace heddle::deadlock
