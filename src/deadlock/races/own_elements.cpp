#include "deadlock/races/own_elements.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "deadlock/races/address_names.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

const llvm::Value* WithoutCasts(const llvm::Value* value, bool* narrowed) {
  while (const auto* cast = dyn_cast<llvm::CastInst>(value)) {
    if (llvm::isa<llvm::TruncInst>(cast)) {
      if (cast->getType()->getIntegerBitWidth() < 32) return value;
      *narrowed = true;
    }
    value = cast->getOperand(0);
  }
  return value;
}

// The step of a variable that the loop counts; 0: it is none.
int64_t StepOfTurn(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* phi = dyn_cast<llvm::PHINode>(value);
  if (phi == nullptr || phi->getParent() != loop.getHeader() || loop.getLoopLatch() == nullptr) return 0;
  const auto* next = dyn_cast<llvm::BinaryOperator>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
  if (next == nullptr || next->getOpcode() != llvm::Instruction::Add || next->getOperand(0) != phi) return 0;
  const auto* by = dyn_cast<llvm::ConstantInt>(next->getOperand(1));
  return by == nullptr || by->getBitWidth() > 64 ? 0 : std::abs(by->getSExtValue());
}

}  // namespace

OwnElements::OwnElements(const Facts& facts) : facts_(facts) {
  if (facts.entries().empty()) return;
  for (const llvm::Function& function : *facts.entries()[0]->getParent()) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&instruction);
      const Primitive* primitive = call == nullptr ? nullptr : facts.Meaning(*call).primitive;
      if (primitive != nullptr && primitive->action == Action::kCreate) Look(*call);
    }
  }
}

void OwnElements::Look(const llvm::CallBase& create) {
  const CallMeaning& meaning = facts_.Meaning(create);
  const Primitive& primitive = *meaning.primitive;
  auto* function = const_cast<llvm::Function*>(create.getFunction());  // only read
  bool plain = meaning.starts.size() == 1 && meaning.others.empty() && primitive.start >= 0 && primitive.arg >= 0;
  // Nobody else starts or calls it, and the loop is run once.
  if (!plain || !meaning.starts[0]->hasOneUse() || !facts_.HappensOnce(function->getEntryBlock().front())) return;
  if (create.getArgOperand(static_cast<unsigned>(primitive.start)) != meaning.starts[0]) return;
  if (static_cast<unsigned>(primitive.param) >= meaning.starts[0]->arg_size()) return;
  llvm::DominatorTree dominators(*function);
  llvm::LoopInfo loops(dominators);
  const llvm::Loop* loop = loops.getLoopFor(create.getParent());
  if (loop == nullptr || loop->getParentLoop() != nullptr) return;
  const llvm::Value* argument = create.getArgOperand(static_cast<unsigned>(primitive.arg));
  Started started;
  started.parameter = static_cast<unsigned>(primitive.param);
  AddressName name = NameAddress(*function->getParent(), argument);
  bool narrowed = false;
  if (name.index != nullptr && loop->isLoopInvariant(name.root)) {
    started.apart = std::abs(name.scale) * StepOfTurn(name.index, *loop);
  } else if (llvm::isa<llvm::IntToPtrInst>(argument)) {
    const llvm::Value* number = WithoutCasts(argument, &narrowed);
    started.apart = narrowed ? 0 : StepOfTurn(number, *loop);
    started.number = true;
    started.narrow = number->getType()->isIntegerTy() && number->getType()->getIntegerBitWidth() <= 32;
  }
  if (started.apart > 0) started_[meaning.starts[0]] = started;
}

OwnElement OwnElements::Of(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes) const {
  auto found = started_.find(at.getFunction());
  if (found == started_.end()) return {};
  const Started& started = found->second;
  const llvm::Value* parameter = at.getFunction()->getArg(started.parameter);
  AddressName name = NameAddress(*at.getModule(), pointer);
  int64_t room = started.apart;
  if (started.number) {
    bool narrowed = false;
    bool meant = name.index != nullptr && llvm::isa<llvm::GlobalVariable>(name.root) &&
                 WithoutCasts(name.index, &narrowed) == parameter && (!narrowed || started.narrow);
    if (!meant || name.scale <= 0) return {};
    room *= name.scale;
  } else if (name.root != parameter || name.index != nullptr) {
    return {};
  }
  int64_t element = name.offset >= 0 ? name.offset / room : -1;
  if (element < 0 || name.offset - element * room + bytes > room) return {};
  return {started.number ? name.root : parameter, started.number ? name.scale : 0, element};
}

}  // namespace heddle::deadlock
