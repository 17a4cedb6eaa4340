#include "deadlock/locksets/coroutines.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "deadlock/locksets/transfer.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;
using llvm::Function;

constexpr unsigned kMaxBits = 32;

const llvm::Value* ConditionOf(const llvm::Instruction& terminator) {
  if (const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator)) return choice->getCondition();
  const auto* branch = dyn_cast<llvm::BranchInst>(&terminator);
  return branch != nullptr && branch->isConditional() ? branch->getCondition() : nullptr;
}

// The load of an integer that the condition is, or compares with a constant.
const llvm::LoadInst* LoadIn(const llvm::Value* condition) {
  if (const auto* compare = llvm::dyn_cast_or_null<llvm::ICmpInst>(condition)) {
    condition = llvm::isa<llvm::ConstantInt>(compare->getOperand(1)) ? compare->getOperand(0) : nullptr;
  }
  const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(condition);
  return load != nullptr && load->getType()->isIntegerTy() ? load : nullptr;
}

}  // namespace

void Coroutines::Find(const llvm::Module& module) {
  for (const Function& resume : module) {
    if (!resume.getName().ends_with(".resume") || resume.isDeclaration() || resume.arg_size() != 1) continue;
    const llvm::LoadInst* number = LoadIn(ConditionOf(*resume.getEntryBlock().getTerminator()));
    if (number == nullptr || number->getType()->getIntegerBitWidth() > kMaxBits) continue;
    Symbol symbol = SymbolOf(module, number->getPointerOperand());
    if (symbol.root != resume.getArg(0)) continue;
    Part part{&resume, true, symbol.offset, number->getType()->getIntegerBitWidth()};
    std::string name = resume.getName().drop_back(std::string(".resume").size()).str();
    for (const char* suffix : {".resume", ".destroy", ".cleanup"}) {
      if (const Function* other = module.getFunction(name + suffix)) parts_[other] = part;
    }
    part.goes_on = false;
    if (const Function* made = module.getFunction(name)) parts_[made] = part;
  }
}

std::optional<Coroutines::Store> Coroutines::StoreAt(const llvm::Instruction& at) const {
  const auto* store = dyn_cast<llvm::StoreInst>(&at);
  auto part = parts_.find(at.getFunction());
  if (store == nullptr || part == parts_.end()) return std::nullopt;
  const auto* number = dyn_cast<llvm::ConstantInt>(store->getValueOperand());
  if (number == nullptr || number->getBitWidth() != part->second.bits) return std::nullopt;
  Symbol symbol = SymbolOf(*at.getModule(), store->getPointerOperand());
  if (symbol.offset != part->second.offset) return std::nullopt;
  return Store{store->getPointerOperand(), static_cast<int64_t>(number->getZExtValue())};
}

const llvm::Value* Coroutines::DecidesBy(const llvm::Instruction& terminator) const {
  auto part = parts_.find(terminator.getFunction());
  if (part == parts_.end() || !part->second.goes_on) return nullptr;
  const llvm::LoadInst* load = LoadIn(ConditionOf(terminator));
  if (load == nullptr || load->getParent() != terminator.getParent()) return nullptr;
  Symbol symbol = SymbolOf(*terminator.getModule(), load->getPointerOperand());
  bool meant = symbol.root == terminator.getFunction()->getArg(0) && symbol.offset == part->second.offset &&
               load->getType()->getIntegerBitWidth() == part->second.bits;
  return meant ? load->getPointerOperand() : nullptr;
}

std::optional<unsigned> Coroutines::Taken(const llvm::Instruction& terminator, int64_t point) {
  const llvm::Value* condition = ConditionOf(terminator);
  if (const auto* choice = dyn_cast<llvm::SwitchInst>(&terminator)) {
    auto* type = llvm::cast<llvm::IntegerType>(condition->getType());
    auto* number = llvm::ConstantInt::get(type, static_cast<uint64_t>(point));
    return choice->findCaseValue(number)->getSuccessorIndex();
  }
  bool holds = point != 0;
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(condition)) {
    if (!compare->isEquality()) return std::nullopt;
    auto other = static_cast<int64_t>(llvm::cast<llvm::ConstantInt>(compare->getOperand(1))->getZExtValue());
    holds = (point == other) == (compare->getPredicate() == llvm::ICmpInst::ICMP_EQ);
  }
  return holds ? 0 : 1;
}

}  // namespace heddle::deadlock
