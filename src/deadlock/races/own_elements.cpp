#include "deadlock/races/own_elements.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

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

// Two loops count alike: from the same number, by the same step.
bool SameTurns(const llvm::Value* a, const llvm::Loop& in_a, const llvm::Value* b, const llvm::Loop& in_b) {
  int64_t step = StepOfTurn(a, in_a);
  if (step == 0 || step != StepOfTurn(b, in_b) || a->getType() != b->getType()) return false;
  auto first = [](const llvm::Value* value, const llvm::Loop& loop) -> const llvm::Value* {
    const auto* phi = llvm::cast<llvm::PHINode>(value);
    if (phi->getNumIncomingValues() != 2) return nullptr;
    return phi->getIncomingValue(loop.contains(phi->getIncomingBlock(0)) ? 1 : 0);
  };
  const llvm::Value* begin = first(a, in_a);
  return begin != nullptr && llvm::isa<llvm::ConstantInt>(begin) && begin == first(b, in_b);
}

}  // namespace

OwnElements::OwnElements(const Facts& facts, const JoinLoops& joins) : facts_(facts), joins_(joins) {
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
  std::unique_ptr<Creator>& creator = creators_[function];
  if (!creator) creator = std::make_unique<Creator>(*function);
  const llvm::Loop* loop = creator->loops.getLoopFor(create.getParent());
  if (loop == nullptr || loop->getParentLoop() != nullptr) return;
  const llvm::Value* argument = create.getArgOperand(static_cast<unsigned>(primitive.arg));
  Started started;
  started.start = meaning.starts[0];
  started.create = &create;
  started.parameter = static_cast<unsigned>(primitive.param);
  started.given = NameAddress(*function->getParent(), argument);
  const auto* made = dyn_cast<llvm::CallBase>(argument);
  bool narrowed = false;
  if (made != nullptr && llvm::isNoAliasCall(made) && creator->loops.getLoopFor(made->getParent()) == loop) {
    started.object = made;
    started.apart = Locations::kUnbounded;
  } else if (started.given.index != nullptr && loop->isLoopInvariant(started.given.root)) {
    started.apart = std::abs(started.given.scale) * StepOfTurn(started.given.index, *loop);
  } else if (llvm::isa<llvm::IntToPtrInst>(argument)) {
    const llvm::Value* number = WithoutCasts(argument, &narrowed);
    started.apart = narrowed ? 0 : StepOfTurn(number, *loop);
    started.number = true;
    started.narrow = number->getType()->isIntegerTy() && number->getType()->getIntegerBitWidth() <= 32;
  }
  if (started.apart <= 0) return;
  started_[started.start] = started;
  if (!started.number) creator->started.push_back(started);
}

OwnElement OwnElements::Of(const llvm::Instruction& at, const llvm::Value* pointer, int64_t bytes) const {
  auto found = started_.find(at.getFunction());
  if (found != started_.end()) return InThread(found->second, at, NameAddress(*at.getModule(), pointer), bytes);
  auto creator = creators_.find(at.getFunction());
  if (creator == creators_.end()) return {};
  AddressName name = NameAddress(*at.getModule(), pointer);
  for (const Started& started : creator->second->started) {
    OwnElement element = InCreator(*creator->second, started, at, name, bytes);
    if (element.array != nullptr) return element;
  }
  return {};
}

OwnElement OwnElements::InThread(const Started& started, const llvm::Instruction& at, const AddressName& name,
                                 int64_t bytes) const {
  const llvm::Value* parameter = at.getFunction()->getArg(started.parameter);
  if (started.object != nullptr) return name.root == parameter ? OwnElement{parameter, 0, 0} : OwnElement{};
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

OwnElement OwnElements::InCreator(const Creator& creator, const Started& started, const llvm::Instruction& at,
                                  const AddressName& name, int64_t bytes) const {
  const llvm::Value* parameter = started.start->getArg(started.parameter);
  const bool before = creator.dominators.dominates(&at, started.create);
  if (started.object != nullptr) {
    return before && name.root == started.object ? OwnElement{parameter, 0, 0} : OwnElement{};
  }
  bool same = name.root == started.given.root && name.index != nullptr && name.scale == started.given.scale &&
              name.widened == started.given.widened;
  if (!same) return {};
  if (!(before && name.index == started.given.index)) {
    bool over = false;
    const llvm::Loop* creates = creator.loops.getLoopFor(started.create->getParent());
    for (const llvm::CallBase* join : joins_.JoinsOf(started.create)) {
      const llvm::Loop* loop = creator.loops.getLoopFor(join->getParent());
      over |= loop != nullptr && loop->contains(&at) && creator.dominators.dominates(join, &at) &&
              SameTurns(name.index, *loop, started.given.index, *creates);
    }
    if (!over) return {};
  }
  int64_t offset = name.offset - started.given.offset;
  int64_t element = offset >= 0 ? offset / started.apart : -1;
  if (element < 0 || offset - element * started.apart + bytes > started.apart) return {};
  return {parameter, 0, element};
}

}  // namespace heddle::deadlock
