// std::lock(l1, l2, ...) with unique_locks becomes: load the mutexes, heddle_lock_all(m1, m2, ...), mark each as owned.
//
// A loop over a vector of std::thread or std::jthread that joins every element: for (auto& t : v) t.join(), or
// for (i = 0; i < v.size(); ++i) v[i].join(), perhaps with if (t.joinable()). On the edges where its condition ends it,
// a call heddle_threads_gone(&v) is put: no element of v is joinable there. What that says about threads is for the
// lockset stage to decide (thread_objects.h).
//
// std::thread::_M_start_thread moves the state out of the pointer that it is given: behind its return the pointer's
// destructor has nothing to delete.
#include "deadlock/input/cxx_models.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <string>

namespace heddle::deadlock {
namespace {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

llvm::StringRef CalleeName(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast_or_null<CallBase>(value);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee == nullptr ? llvm::StringRef() : callee->getName();
}

// ---- std::lock

// Whether all arguments of the template are unique_locks of mutexes of the library.
bool LocksUniqueLocks(llvm::StringRef name) {
  if (!name.starts_with("_ZSt4lockISt11unique_lock")) return false;
  std::string text = llvm::demangle(name.str());
  size_t begin = text.find("std::lock<"), depth = 0;
  if (begin == std::string::npos) return false;
  begin += std::string("std::lock<").size();
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    bool ends = depth == 0 && (text[i] == ',' || text[i] == '>');
    if (ends) {
      llvm::StringRef one = llvm::StringRef(text).slice(begin, i).trim();
      if (!one.starts_with("std::unique_lock<std::") || !one.ends_with("mutex>")) return false;
      begin = i + 1;
      if (text[i] == '>') return true;
    } else if (text[i] == '>') {
      --depth;
    }
  }
  return false;
}

void ReplaceLock(CallBase* call) {
  llvm::Module& module = *call->getModule();
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::FunctionCallee all = module.getOrInsertFunction(
      "heddle_lock_all", llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {}, true));
  llvm::cast<Function>(all.getCallee())->setDoesNotThrow();
  llvm::IRBuilder<> builder(call);
  std::vector<llvm::Value*> mutexes;
  for (llvm::Value* lock : call->args()) mutexes.push_back(builder.CreateLoad(pointer, lock));
  llvm::CallInst* taken = builder.CreateCall(all, mutexes);
  taken->setDoesNotThrow();
  for (llvm::Value* lock : call->args()) {
    builder.CreateStore(builder.getInt8(1), builder.CreateConstGEP1_64(builder.getInt8Ty(), lock, 8));
  }
  if (auto* invoke = dyn_cast<llvm::InvokeInst>(call)) {
    builder.CreateBr(invoke->getNormalDest());
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
  }
  call->eraseFromParent();
}

// ---- loops that join

bool IsVector(llvm::StringRef name) {
  return name.starts_with("_ZNSt6vectorISt6threadSa") || name.starts_with("_ZNSt6vectorISt7jthreadSa") ||
         name.starts_with("_ZNKSt6vectorISt6threadSa") || name.starts_with("_ZNKSt6vectorISt7jthreadSa");
}
bool IsMember(const llvm::Value* value, llvm::StringRef end) {
  llvm::StringRef name = CalleeName(value);
  return IsVector(name) && name.ends_with(end);
}
bool IsJoin(const llvm::Value* value) {
  llvm::StringRef name = CalleeName(value);
  return name == "_ZNSt6thread4joinEv" || name == "_ZNSt7jthread4joinEv";
}
bool IsJoinable(const llvm::Value* value) {
  llvm::StringRef name = CalleeName(value);
  return name == "_ZNKSt6thread8joinableEv" || name == "_ZNKSt7jthread8joinableEv";
}
bool IsIterator(llvm::StringRef name) { return name.contains("__normal_iterator") && name.contains("thread"); }

// What is stored in the variable, if only one thing is; lifetimes and calls do not count.
const llvm::Value* OnlyStored(const llvm::Value* variable) {
  const llvm::Value* stored = nullptr;
  for (const llvm::User* user : variable->users()) {
    const auto* store = dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != variable) continue;
    if (stored != nullptr) return nullptr;
    stored = store->getValueOperand();
  }
  return stored;
}

class JoinLoop {
 public:
  JoinLoop(const llvm::Loop& loop, const llvm::DominatorTree& dominators) : loop_(loop), dominators_(dominators) {}

  // The vector whose elements are all joined when the loop's condition ends it; null: it is no such loop.
  llvm::Value* Vector() {
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& instruction : *block) {
        if (!IsJoin(&instruction) || !EachTurn(instruction)) continue;
        const llvm::Value* element = llvm::cast<CallBase>(instruction).getArgOperand(0);
        llvm::Value* vector = ByIterator(element);
        if (vector == nullptr) vector = ByIndex(element);
        if (vector != nullptr && ExitsOnlyHere()) return vector;
      }
    }
    return nullptr;
  }

  // Branches whose outcome says that the end is reached, with the successor that is taken then.
  const std::vector<std::pair<llvm::BranchInst*, unsigned>>& ends() const { return ends_; }

 private:
  bool DominatesLatch(const llvm::BasicBlock* block) const {
    const llvm::BasicBlock* latch = loop_.getLoopLatch();
    return latch != nullptr && dominators_.dominates(block, latch);
  }

  bool EachTurn(const llvm::Instruction& join) const {
    const llvm::BasicBlock* block = join.getParent();
    if (DominatesLatch(block)) return true;
    const llvm::BasicBlock* before = block->getSinglePredecessor();
    const auto* branch = before == nullptr ? nullptr : dyn_cast<llvm::BranchInst>(before->getTerminator());
    bool asked = branch != nullptr && branch->isConditional() && branch->getSuccessor(0) == block &&
                 IsJoinable(branch->getCondition()) && DominatesLatch(before);
    return asked && llvm::cast<CallBase>(branch->getCondition())->getArgOperand(0) ==
                        llvm::cast<CallBase>(join).getArgOperand(0);
  }

  // element = *it; it = v.begin(); the loop ends when it equals end = v.end().
  llvm::Value* ByIterator(const llvm::Value* element) {
    if (!IsIterator(CalleeName(element)) || !CalleeName(element).ends_with("deEv")) return nullptr;
    const llvm::Value* it = llvm::cast<CallBase>(element)->getArgOperand(0);
    const llvm::Value* begin = OnlyStored(it);
    if (begin == nullptr || !IsMember(begin, "5beginEv") || !Advances(it)) return nullptr;
    llvm::Value* vector = llvm::cast<CallBase>(begin)->getArgOperand(0);
    const llvm::Function* function = loop_.getHeader()->getParent();
    for (const llvm::BasicBlock& block : *function) {
      auto* branch = dyn_cast<llvm::BranchInst>(const_cast<llvm::Instruction*>(block.getTerminator()));
      if (branch == nullptr || !branch->isConditional()) continue;
      const auto* compare = dyn_cast<CallBase>(branch->getCondition());
      llvm::StringRef name = CalleeName(compare);
      bool equal = name.starts_with("_ZN9__gnu_cxxeqI"), unequal = name.starts_with("_ZN9__gnu_cxxneI");
      if ((!equal && !unequal) || !IsIterator(name) || compare->getArgOperand(0) != it) continue;
      const llvm::Value* end = OnlyStored(compare->getArgOperand(1));
      if (end == nullptr || !IsMember(end, "3endEv") || llvm::cast<CallBase>(end)->getArgOperand(0) != vector) continue;
      ends_.emplace_back(branch, equal ? 0 : 1);
    }
    return vector;
  }

  // Once in each turn, by one.
  bool Advances(const llvm::Value* it) const {
    size_t steps = 0;
    for (const llvm::User* user : it->users()) {
      const auto* call = dyn_cast<CallBase>(user);
      if (call == nullptr || !IsIterator(CalleeName(call))) continue;
      llvm::StringRef name = CalleeName(call);
      if (name.ends_with("deEv") || name.starts_with("_ZN9__gnu_cxx")) {
        if (!name.ends_with("ppEv") && !name.ends_with("ppEi")) continue;
        ++steps;
        if (!loop_.contains(call) || !DominatesLatch(call->getParent())) return false;
      }
    }
    return steps == 1;
  }

  // element = v[i]; i from 0 by 1; the loop ends when i is no longer below v.size().
  llvm::Value* ByIndex(const llvm::Value* element) {
    if (!IsMember(element, "ixEm") && !IsMember(element, "2atEm")) return nullptr;
    const auto* access = llvm::cast<CallBase>(element);
    const llvm::Value* index = access->getArgOperand(1);
    while (const auto* cast = dyn_cast<llvm::CastInst>(index)) index = cast->getOperand(0);
    const auto* phi = dyn_cast<llvm::PHINode>(index);
    if (phi == nullptr || phi->getParent() != loop_.getHeader() || phi->getNumIncomingValues() != 2) return nullptr;
    const llvm::Value* step = phi->getIncomingValueForBlock(loop_.getLoopLatch());
    for (const llvm::BasicBlock* from : phi->blocks()) {
      const auto* first = dyn_cast<llvm::ConstantInt>(phi->getIncomingValueForBlock(from));
      if (!loop_.contains(from) && (first == nullptr || !first->isZero())) return nullptr;
    }
    const auto* add = dyn_cast<llvm::BinaryOperator>(step);
    const auto* one = add == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(add->getOperand(1));
    bool by_one = add != nullptr && add->getOpcode() == llvm::Instruction::Add && add->getOperand(0) == phi &&
                  one != nullptr && one->isOne();
    if (!by_one) return nullptr;
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop_.getExitingBlocks(exiting);
    for (llvm::BasicBlock* block : exiting) {
      auto* branch = dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      const auto* compare = dyn_cast<llvm::ICmpInst>(branch->getCondition());
      if (compare == nullptr || !Bounds(*compare, phi, add, access->getArgOperand(0))) continue;
      ends_.emplace_back(branch, loop_.contains(branch->getSuccessor(0)) ? 1 : 0);
    }
    return ends_.empty() ? nullptr : access->getArgOperand(0);
  }

  // Compares the index (or the next one) with v.size().
  static bool Bounds(const llvm::ICmpInst& compare, const llvm::Value* phi, const llvm::Value* next,
                     const llvm::Value* vector) {
    for (unsigned i = 0; i < 2; ++i) {
      const llvm::Value *index = compare.getOperand(i), *size = compare.getOperand(1 - i);
      while (const auto* cast = dyn_cast<llvm::CastInst>(index)) index = cast->getOperand(0);
      bool meant = (index == phi || index == next) && IsMember(size, "4sizeEv");
      if (meant && llvm::cast<CallBase>(size)->getArgOperand(0) == vector) return true;
    }
    return false;
  }

  bool ExitsOnlyHere() const {
    llvm::SmallVector<llvm::Loop::Edge, 4> edges;
    loop_.getExitEdges(edges);
    bool some = false;
    for (const auto& [inside, outside] : edges) {
      if (outside->isLandingPad()) continue;
      const auto* branch = dyn_cast<llvm::BranchInst>(inside->getTerminator());
      bool known = false;
      for (const auto& [end, successor] : ends_) known |= end == branch && end->getSuccessor(successor) == outside;
      if (!known) return false;
      some = true;
    }
    return some;
  }

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  std::vector<std::pair<llvm::BranchInst*, unsigned>> ends_;
};

bool Mentions(const Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (IsJoin(&instruction)) return true;
  }
  return false;
}

void MarkJoinLoops(Function& function) {
  if (function.isDeclaration() || !Mentions(function)) return;
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  std::vector<std::pair<llvm::Value*, std::pair<llvm::BranchInst*, unsigned>>> found;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    JoinLoop candidate(*loop, dominators);
    llvm::Value* vector = candidate.Vector();
    if (vector == nullptr) continue;
    for (const auto& end : candidate.ends()) {
      if (dominators.dominates(vector, end.first)) found.emplace_back(vector, end);
    }
  }
  llvm::Module& module = *function.getParent();
  llvm::FunctionCallee gone =
      module.getOrInsertFunction("heddle_threads_gone", llvm::Type::getVoidTy(module.getContext()),
                                 llvm::PointerType::getUnqual(module.getContext()));
  for (const auto& [vector, end] : found) {
    auto [branch, successor] = end;
    llvm::BasicBlock* between =
        llvm::SplitEdge(branch->getParent(), branch->getSuccessor(successor), &dominators, &loops);
    llvm::IRBuilder<> builder(between->getTerminator());
    builder.CreateCall(gone, {vector})->setDoesNotThrow();
  }
}

}  // namespace

// The function that is stored in `value`: itself, or what the conversion of a lambda without captures returns.
static Function* FunctionIn(llvm::Value* value) {
  if (auto* function = dyn_cast<Function>(value)) return function;
  const auto* call = dyn_cast<CallBase>(value);
  const Function* conversion = call == nullptr ? nullptr : call->getCalledFunction();
  if (conversion == nullptr || conversion->isDeclaration() || conversion->size() != 1) return nullptr;
  const auto* ret = dyn_cast<llvm::ReturnInst>(conversion->front().getTerminator());
  return ret == nullptr ? nullptr : llvm::dyn_cast_or_null<Function>(ret->getReturnValue());
}

// What the function leaves in __once_call for __once_proxy to call.
static Function* KeptForProxy(Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr) continue;
    const llvm::Value* address = store->getPointerOperand();
    if (const auto* tls = dyn_cast<CallBase>(address); tls != nullptr && tls->arg_size() == 1)
      address = tls->getArgOperand(0);
    Function* kept = address->getName() == "_ZSt11__once_call" ? FunctionIn(store->getValueOperand()) : nullptr;
    if (kept != nullptr) return kept;
  }
  return nullptr;
}

// The call as pthread_once(flag, f). __gthread_once(flag, __once_proxy) does no more, and optimisation may have taken
// its second argument away; the proxy calls what this call_once has kept.
static CallBase* PlainOnce(CallBase* call, Function* kept) {
  llvm::Module& module = *call->getModule();
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::FunctionCallee once =
      module.getOrInsertFunction("pthread_once", llvm::Type::getInt32Ty(module.getContext()), pointer, pointer);
  llvm::FunctionCallee proxy = module.getOrInsertFunction("__once_proxy", llvm::Type::getVoidTy(module.getContext()));
  llvm::Value* arguments[] = {call->getArgOperand(0), kept != nullptr ? kept : proxy.getCallee()};
  llvm::IRBuilder<> builder(call);
  CallBase* plain = nullptr;
  if (auto* invoke = dyn_cast<llvm::InvokeInst>(call)) {
    plain = builder.CreateInvoke(once, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
  } else {
    plain = builder.CreateCall(once, arguments);
  }
  plain->setDebugLoc(call->getDebugLoc());
  if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(plain);
  call->eraseFromParent();
  return plain;
}

// std::call_once inside of futures and their tasks: the library's own business, which nobody waits for.
static void MarkLibraryOnce(Function& function) {
  llvm::StringRef name = function.getName();
  if (!name.starts_with("_ZSt9call_onceIM") || (!name.contains("__future_base") && !name.contains("St6thread"))) return;
  std::vector<CallBase*> calls;
  Function* kept = KeptForProxy(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::StringRef callee = CalleeName(&instruction);
    if (callee.contains("__gthread_once") || callee == "pthread_once")
      calls.push_back(llvm::cast<CallBase>(&instruction));
    bool prepares = kept == nullptr && callee.contains("_Prepare_executionC");
    if (prepares) kept = KeptForProxy(*llvm::cast<CallBase>(instruction).getCalledFunction());
  }
  for (CallBase* call : calls) {
    PlainOnce(call, kept)->setMetadata(kLibraryOnce, llvm::MDNode::get(function.getContext(), {}));
  }
}

// ---- starting a thread

constexpr llvm::StringLiteral kStart =
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE";
constexpr llvm::StringLiteral kStateGone = "_ZNSt10unique_ptrINSt6thread6_StateESt14default_deleteIS1_EED2Ev";

static void DropEmptyDestructors(Function& function) {
  std::vector<CallBase*> starts, ends;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (CalleeName(&instruction) == kStart) starts.push_back(llvm::cast<CallBase>(&instruction));
    if (CalleeName(&instruction) == kStateGone && llvm::isa<llvm::CallInst>(instruction)) {
      ends.push_back(llvm::cast<CallBase>(&instruction));
    }
  }
  if (starts.empty() || ends.empty()) return;
  llvm::DominatorTree dominators(function);
  for (CallBase* end : ends) {
    bool empty = std::any_of(starts.begin(), starts.end(), [&](CallBase* start) {
      bool same = start->getArgOperand(1) == end->getArgOperand(0);
      const auto* invoke = dyn_cast<llvm::InvokeInst>(start);
      if (invoke == nullptr) return same && dominators.dominates(start, end);
      llvm::BasicBlockEdge normal(invoke->getParent(), invoke->getNormalDest());
      return same && dominators.dominates(normal, end->getParent());
    });
    if (empty) end->eraseFromParent();
  }
}

void ReplaceCxxTemplates(llvm::Module& module) {
  for (Function& function : module) DropEmptyDestructors(function);
  for (Function& function : module) MarkLibraryOnce(function);
  std::vector<CallBase*> locks;
  for (Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (LocksUniqueLocks(CalleeName(&instruction))) locks.push_back(llvm::cast<CallBase>(&instruction));
    }
  }
  for (CallBase* call : locks) ReplaceLock(call);
  for (Function& function : llvm::make_early_inc_range(module)) MarkJoinLoops(function);
}

}  // namespace heddle::deadlock
