// A virtual call loads the object's table, tells its class, loads the function at a fixed place behind the table's
// address point, and calls it:
//
//   table = load object;  assume(type.test(table, class));  function = load table + slot;  call function(object, ...)
//
// The object's class is the static one or derived from it, and every table of such a class has that class in its !type
// list with the address point. So the function is one that stands at address point + slot of such a table. A virtual
// function that stands in no table, or in one without a list, is not ruled out: it may stand in tables that are not
// here. Nor is any when no table of the class is here.
#include "deadlock/pointers/virtual_tables.h"

#include <llvm/Analysis/TypeMetadataUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

bool IsTypeTest(const llvm::CallBase& call) {
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  return id == llvm::Intrinsic::type_test || id == llvm::Intrinsic::public_type_test;
}

// The class that the code is sure the table serves when it comes to the call; null: it says none. What is assumed
// elsewhere, on another way, does not count.
const llvm::Metadata* ClassOf(const llvm::Value& table, const llvm::CallBase& call) {
  for (const llvm::User* user : table.users()) {
    const auto* test = dyn_cast<llvm::CallBase>(user);
    if (test == nullptr || !IsTypeTest(*test)) continue;
    for (const llvm::User* use : test->users()) {
      const auto* assumed = dyn_cast<llvm::AssumeInst>(use);
      if (assumed == nullptr || assumed->getParent() != call.getParent() || !assumed->comesBefore(&call)) continue;
      return llvm::cast<llvm::MetadataAsValue>(test->getArgOperand(1))->getMetadata();
    }
  }
  return nullptr;
}

bool MayBeVirtual(const llvm::Function& function) {
  const llvm::DISubprogram* described = function.getSubprogram();
  if (described == nullptr) return true;
  const llvm::DISubprogram* declared = described->getDeclaration();
  return described->getVirtuality() != 0 || (declared != nullptr && declared->getVirtuality() != 0);
}

template <typename Visit>
void ForEachFunction(const llvm::Constant& constant, Visit visit) {
  if (const auto* function = dyn_cast<llvm::Function>(constant.stripPointerCastsAndAliases())) return visit(function);
  if (!llvm::isa<llvm::ConstantAggregate>(constant)) return;
  for (const llvm::Use& part : constant.operands()) ForEachFunction(*llvm::cast<llvm::Constant>(part), visit);
}

}  // namespace

VirtualTables::VirtualTables(llvm::Module& module) : module_(module) {
  for (const llvm::GlobalVariable& global : module.globals()) {
    bool is_table = global.getName().starts_with("_ZTV") || global.getName().starts_with("_ZTC");
    if (is_table && global.hasInitializer()) AddTable(global);
  }
}

void VirtualTables::AddTable(const llvm::GlobalVariable& table) {
  bool known = table.hasMetadata(llvm::LLVMContext::MD_type);
  auto& functions = known ? in_known_tables_ : in_unknown_tables_;
  ForEachFunction(*table.getInitializer(), [&](const llvm::Function* function) { functions.insert(function); });
  if (known) AddPlaces(table);
}

void VirtualTables::AddPlaces(const llvm::GlobalVariable& table) {
  llvm::SmallVector<llvm::MDNode*, 4> classes;
  table.getMetadata(llvm::LLVMContext::MD_type, classes);
  for (const llvm::MDNode* entry : classes) {
    const auto* offset = llvm::mdconst::dyn_extract<llvm::ConstantInt>(entry->getOperand(0));
    if (offset != nullptr) places_[entry->getOperand(1)].push_back({&table, offset->getZExtValue()});
  }
}

const std::set<const llvm::Function*>& VirtualTables::FunctionsIn(Slot slot) {
  auto [found, fresh] = functions_.try_emplace(slot);
  if (!fresh) return found->second;
  for (const Place& place : places_[slot.first]) {
    auto* initializer = const_cast<llvm::Constant*>(place.table->getInitializer());
    const llvm::Constant* at = llvm::getPointerAtOffset(initializer, place.address_point + slot.second, module_);
    const auto* function = at == nullptr ? nullptr : dyn_cast<llvm::Function>(at->stripPointerCastsAndAliases());
    if (function != nullptr) found->second.insert(function);
  }
  return found->second;
}

bool VirtualTables::CanReach(const llvm::CallBase& call, const llvm::Function& callee) {
  bool in_known = in_known_tables_.count(&callee) != 0;
  if (in_unknown_tables_.count(&callee) != 0 || (!in_known && MayBeVirtual(callee))) return true;
  const auto* load = dyn_cast<llvm::LoadInst>(call.getCalledOperand());
  if (load == nullptr) return true;
  llvm::APInt bytes(64, 0);
  const llvm::Value* table =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(module_.getDataLayout(), bytes, true);
  const llvm::Metadata* its_class = ClassOf(*table, call);
  if (its_class == nullptr || places_.count(its_class) == 0 || bytes.isNegative()) return true;
  return in_known && FunctionsIn({its_class, bytes.getZExtValue()}).count(&callee) != 0;
}

}  // namespace heddle::deadlock
