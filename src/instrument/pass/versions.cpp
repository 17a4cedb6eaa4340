#include "instrument/pass/versions.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <utility>
#include <vector>

#include "base/inline_filter.h"
#include "instrument/pass/called_look.h"
#include "instrument/pass/calls.h"
#include "instrument/pass/look.h"
#include "instrument/pass/look_plan.h"
#include "instrument/pass/marks.h"
#include "instrument/pass/watch.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {
namespace {

// Blocks whose address the program holds exist once.
bool CanBeCloned(const Function& function) {
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken() || isa<IndirectBrInst>(block.getTerminator()) || isa<CallBrInst>(block.getTerminator()))
      return false;
  }
  return true;
}

using Body = std::vector<BasicBlock*>;  // the first is where it begins

Body Copy(const Body& body, const Twine& suffix) {
  ValueToValueMapTy map;
  Body copy;
  Function* function = body.front()->getParent();
  for (BasicBlock* block : body) {
    copy.push_back(CloneBasicBlock(block, map, suffix, function));
    map[block] = copy.back();
  }
  RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (BasicBlock* block : copy) {
    for (Instruction& instruction : *block) {
      RemapInstruction(&instruction, map, flags);
      RemapDbgRecordRange(function->getParent(), instruction.getDbgRecordRange(), map, flags);
    }
  }
  return copy;
}

SmallVector<CallInst*, 64> WatchedCallsOf(const Body& body) {
  SmallVector<CallInst*, 64> calls;
  for (BasicBlock* block : body) {
    for (CallInst* call : WatchedCalls(make_range(block->getIterator(), std::next(block->getIterator())))) {
      calls.push_back(call);
    }
  }
  return calls;
}

void DropCalls(const Body& body) {
  for (CallInst* call : WatchedCallsOf(body)) {
    auto* argument = call->arg_empty() ? nullptr : dyn_cast<CallInst>(call->getArgOperand(0));
    call->eraseFromParent();
    // The return address that __tsan_func_entry was given.
    if (argument != nullptr && argument->use_empty() && argument->getIntrinsicID() == Intrinsic::returnaddress) {
      argument->eraseFromParent();
    }
  }
}

// `look` where the plan says inline. Copies of a body have the calls in the order that the plan knows.
void AddLooks(const Body& body, const LookPlan& plan, function_ref<void(CallInst*, SizedAccess)> look) {
  auto calls = WatchedCallsOf(body);
  for (size_t i = 0; i < calls.size(); ++i) {
    SizedAccess access = AsSizedAccess(calls[i]->getCalledFunction()->getName());
    if (access.bytes == 0) continue;
    plan.looks_inline[i] ? look(calls[i], access) : CallLook(calls[i], access);
  }
}

// `otherwise` gets the call that is made for something new.
void LookIntoCells(const Body& body, const LookPlan& plan, function_ref<void(CallInst*, SizedAccess)> otherwise) {
  Value* regions = nullptr;
  AddLooks(body, plan, [&](CallInst* call, SizedAccess access) {
    if (regions == nullptr) regions = LoadRegions(body.front());
    CallInst* shared = LookIntoCells(call, access, regions);
    otherwise(call, access);
    if (shared != nullptr) CallTwoCells(shared, access);
  });
}

void DropMarks(const Body& body) {
  for (CallInst* call : WatchedCallsOf(body)) {
    if (IsMark(call->getCalledFunction()->getName())) call->eraseFromParent();
  }
}

// All that are left.
void GuardMarks(Function& function) {
  SmallVector<CallInst*, 16> marks;
  for (CallInst* call : WatchedCalls(make_range(function.begin(), function.end()))) {
    if (IsMark(call->getCalledFunction()->getName())) marks.push_back(call);
  }
  for (CallInst* mark : marks) GuardMark(mark);
}

// A new entry block with the function's fixed stack variables, which all bodies share, and all that was there before.
std::pair<BasicBlock*, Body> BodyOf(Function& function) {
  Body body;
  for (BasicBlock& block : function) body.push_back(&block);
  BasicBlock* old = body.front();
  BasicBlock* entry = BasicBlock::Create(function.getContext(), "", &function, old);
  for (Instruction& instruction : make_early_inc_range(*old)) {
    auto* variable = dyn_cast<AllocaInst>(&instruction);
    if (variable != nullptr && isa<ConstantInt>(variable->getArraySize())) variable->moveBefore(*entry, entry->end());
  }
  return {entry, std::move(body)};
}

// Adds the choice of who watches to the function's new entry.
SwitchInst* Choose(BasicBlock* entry, const Body& otherwise, const Body& plain) {
  IRBuilder<> builder(entry);
  SwitchInst* choice = builder.CreateSwitch(LoadWatch(builder), otherwise.front(), 2);
  choice->addCase(builder.getInt8(kWatchNothing), plain.front());
  return choice;
}

void SplitInThree(Function& function, const LookPlan& plan) {
  auto [entry, cells] = BodyOf(function);
  Body filter = Copy(cells, ".filter");
  Body plain = Copy(cells, ".plain");
  // The cells are for everything that is not one of the two others: with no regions at hand the look always calls.
  Choose(entry, cells, plain)
      ->addCase(ConstantInt::get(Type::getInt8Ty(function.getContext()), kWatchFiltered), filter.front());
  DropCalls(plain);
  AddLooks(filter, plan, [](CallInst* call, SizedAccess access) {
    LookIntoFilter(call, access);
    CallSlow(call, access);
  });
  DropMarks(filter);
  LookIntoCells(cells, plan, CallSlow);
}

void SplitInTwo(Function& function, const LookPlan& plan) {
  auto [entry, watched] = BodyOf(function);
  Body plain = Copy(watched, ".plain");
  Choose(entry, watched, plain);
  DropCalls(plain);
  LookIntoCells(watched, plan, CallLook);
}

}  // namespace

void SplitVersions(Function& function) {
  if (WatchedCalls(make_range(function.begin(), function.end())).empty()) return;
  WatchVariable(*function.getParent());
  if (!CanBeCloned(function)) return;  // its calls find out by themselves
  LookPlan plan = PlanLooks(function);
  if (plan.two_watched_bodies) {
    SplitInThree(function, plan);
  } else {
    SplitInTwo(function, plan);
  }
  GuardMarks(function);
}

}  // namespace heddle::instrument
