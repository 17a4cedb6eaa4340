#include "deadlock/races/address_names.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "deadlock/locksets/transfer.h"

namespace heddle::deadlock {

AddressName NameAddress(const llvm::Module& module, const llvm::Value* pointer) {
  Symbol symbol = SymbolOf(module, pointer);
  AddressName name{symbol.root, nullptr, 0, 0, symbol.offset};
  const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(symbol.root);
  if (gep == nullptr || gep->getType()->isVectorTy()) return name;
  const llvm::DataLayout& layout = module.getDataLayout();
  unsigned width = layout.getIndexTypeSizeInBits(gep->getType());
  llvm::MapVector<llvm::Value*, llvm::APInt> variables;
  llvm::APInt constant(width, 0);
  if (!gep->collectOffset(layout, width, variables, constant) || variables.size() != 1) return name;
  Symbol base = SymbolOf(module, gep->getPointerOperand());
  name.root = base.root;
  name.index = variables.front().first;
  name.scale = variables.front().second.getSExtValue();
  name.offset += base.offset + constant.getSExtValue();
  if (llvm::isa<llvm::SExtInst>(name.index) || llvm::isa<llvm::ZExtInst>(name.index)) {
    name.widened = llvm::cast<llvm::CastInst>(name.index)->getOpcode();
    name.index = llvm::cast<llvm::CastInst>(name.index)->getOperand(0);
  }
  return name;
}

}  // namespace heddle::deadlock
