#include "deadlock/input/normalise.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "deadlock/input/cxx_models.h"
#include "deadlock/input/handoff_names.h"
#include "deadlock/input/hidden_calls.h"
#include "deadlock/input/sections.h"
#include "deadlock/input/spin_locks.h"

namespace heddle::deadlock {
namespace {

using llvm::CallBase;
using llvm::Function;

constexpr size_t kSmall = 48;          // instructions of a function that is worth a copy for each caller
constexpr size_t kLibrarySmall = 250;  // the same for templates of the C++ library
constexpr size_t kMaxCallers = 400;
constexpr int kRounds = 8;

bool Interesting(Action action) {
  switch (action) {
    case Action::kNothing:
    case Action::kThrow:
    case Action::kCopy:
    case Action::kReturnsArg:
    case Action::kSubobject:
    case Action::kProcessExit:
    case Action::kExit:
    case Action::kAtExit:
    case Action::kExitOnly:
    case Action::kKeep:
    case Action::kLink:
    case Action::kPlain:
    case Action::kSymbol:
    case Action::kSend:
    case Action::kReceive:
    case Action::kKeyCreate:
    case Action::kThreadsGone:
    case Action::kCallLater:
    case Action::kDispatch:
    case Action::kSetjmp:
    case Action::kLongjmp:
      return false;
    default:
      return true;
  }
}

bool FromCxxLibrary(llvm::StringRef name) {
  return name.starts_with("_ZNSt") || name.starts_with("_ZSt") || name.starts_with("_ZNKSt") ||
         name.starts_with("_ZN9__gnu_cxx") || name.starts_with("_ZNK9__gnu_cxx") || name.starts_with("_ZL") ||
         name.starts_with("_ZN9__gthread");
}

class Inliner {
 public:
  Inliner(llvm::Module& module, const Primitives& primitives) : module_(module), primitives_(primitives) {}

  void Run() {
    budget_ = 2 * module_.getInstructionCount() + 100000;
    for (int round = 0; round < kRounds; ++round) {
      FindRecursion();
      std::vector<Function*> chosen;
      for (Function& function : module_) {
        if (Wanted(function)) chosen.push_back(&function);
      }
      bool changed = false;
      for (Function* function : chosen) changed |= InlineEverywhere(*function);
      if (!changed) return;
    }
  }

 private:
  void FindRecursion() {
    recursive_.clear();
    llvm::CallGraph graph(module_);
    for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc) {
      if (!scc.hasCycle()) continue;
      for (llvm::CallGraphNode* node : *scc) recursive_.insert(node->getFunction());
    }
  }

  bool IsPrimitive(const Function& function) const { return primitives_.Find(function.getName().str()) != nullptr; }

  // Calls something interesting itself. What it calls further down was inlined into it in an earlier round.
  bool ActsDirectly(const Function& function) const {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const Primitive* primitive = primitives_.Find(call->getCalledFunction()->getName().str());
      if (primitive != nullptr && Interesting(primitive->action)) return true;
    }
    return false;
  }

  bool Wanted(const Function& function) const {
    if (function.isDeclaration() || function.isVarArg() || IsPrimitive(function)) return false;
    if (HandoffOperationOf(function.getName())) return false;  // known by its name
    if (recursive_.count(&function) != 0 || function.getName() == "main") return false;
    if (function.hasFnAttribute(llvm::Attribute::ReturnsTwice)) return false;
    // Where a coroutine is made; its parts belong together (locksets/coroutines.h).
    if (module_.getFunction((function.getName() + ".resume").str()) != nullptr) return false;
    size_t callers = 0;
    for (const llvm::User* user : function.users()) {
      const auto* call = llvm::dyn_cast<CallBase>(user);
      if (call != nullptr && call->getCalledFunction() == &function) ++callers;
    }
    if (callers == 0 || callers > kMaxCallers) return false;
    size_t size = function.getInstructionCount();
    bool library = FromCxxLibrary(function.getName());
    if (size > (library ? kLibrarySmall : kSmall)) return false;
    return (library && (TouchesLibraryState(function) || FindsCharacters(function))) || ActsDirectly(function) ||
           OnlyLooks(function) || (!library && OnlyLinks(function));
  }

  // Says what a variable holds: the predicate of a wait. What the answer tells is known at the branch only if the load
  // is there.
  static bool OnlyLooks(const Function& function) {
    constexpr size_t kTiny = 12;
    if (function.size() != 1 || !function.getReturnType()->isIntegerTy() || function.getInstructionCount() > kTiny)
      return false;
    size_t loads = 0;
    for (const llvm::Instruction& at : function.front()) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(at)) continue;
      if (at.mayWriteToMemory() && !llvm::isa<llvm::LoadInst>(at)) return false;
      loads += llvm::isa<llvm::LoadInst>(at) ? 1 : 0;
    }
    return loads > 0;
  }

  // Puts one thing that it is given into another: into which list, only a copy for each caller tells apart.
  static bool OnlyLinks(const Function& function) {
    constexpr size_t kFew = 24;
    if (function.getInstructionCount() > kFew) return false;
    bool links = false;
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      if (llvm::isa<CallBase>(at) && !llvm::isa<llvm::DbgInfoIntrinsic>(at)) return false;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&at);
      if (store == nullptr || !store->getValueOperand()->getType()->isPointerTy()) continue;
      links |= llvm::isa<llvm::Argument>(store->getValueOperand()) &&
               llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(store->getPointerOperand()));
    }
    return links;
  }

  // C++ library code between a user and the primitives: constructors of guards, of threads, of their states.
  bool TouchesLibraryState(const Function& function) const {
    llvm::StringRef name = function.getName();
    for (const char* part :
         {"mutex", "lock", "thread", "once", "Invoker", "invoke", "tuple", "Head_base", "Tuple_impl", "atomic",
          "unique_ptr", "forward", "move", "condition", "reference_wrapper", "addressof"}) {
      if (name.contains(part)) return true;
    }
    return false;
  }

  // Says where the characters of a string are: of which string, only a copy for each caller tells apart.
  static bool FindsCharacters(const Function& function) {
    constexpr size_t kTiny = 12;
    return function.getName().contains("basic_string") && function.getReturnType()->isPointerTy() &&
           function.getInstructionCount() <= kTiny;
  }

  // Locks or unlocks what a parameter names, and no more.
  bool OnlyWraps(const Function& function) const {
    size_t primitives = 0;
    bool from_parameter = false;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const Primitive* primitive = primitives_.Find(call->getCalledFunction()->getName().str());
      if (primitive == nullptr || primitive->action > Action::kCondWait) continue;
      ++primitives;
      const llvm::Value* operand = call->getArgOperand(static_cast<unsigned>(primitive->lock));
      from_parameter |= llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(operand));
    }
    return primitives == 1 && from_parameter;
  }

  bool InlineEverywhere(Function& function) {
    if (function.getSubprogram() != nullptr && (OnlyWraps(function) || FromCxxLibrary(function.getName()))) {
      module_.getOrInsertNamedMetadata(kWrapperList)->addOperand(function.getSubprogram());
    }
    std::vector<CallBase*> calls;
    for (llvm::User* user : function.users()) {
      auto* call = llvm::dyn_cast<CallBase>(user);
      if (call == nullptr || call->getCalledFunction() != &function || call->getFunction() == &function) continue;
      calls.push_back(call);
    }
    bool changed = false;
    size_t size = function.getInstructionCount();
    for (CallBase* call : calls) {
      if (budget_ < size) return changed;
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) continue;
      budget_ -= size;
      changed = true;
    }
    return changed;
  }

  llvm::Module& module_;
  const Primitives& primitives_;
  llvm::SmallPtrSet<const Function*, 16> recursive_;
  size_t budget_ = 0;
};

// optnone and noinline are requests to optimisers of the program, not to an analysis.
void DropRequests(llvm::Module& module) {
  for (Function& function : module) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<CallBase>(&instruction)) call->removeFnAttr(llvm::Attribute::NoInline);
    }
  }
}

// condition_variable::wait(lock) is pthread_cond_wait with the lock's mutex. Said so, the lock object need not be in
// memory, and what it owns is known.
void ReplaceConditionWaits(llvm::Module& module) {
  Function* wait = module.getFunction("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");
  if (wait == nullptr || !wait->isDeclaration()) return;
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  llvm::FunctionCallee plain = module.getOrInsertFunction("pthread_cond_wait", number, pointer, pointer);
  std::vector<CallBase*> calls;
  for (llvm::User* user : wait->users()) {
    auto* call = llvm::dyn_cast<CallBase>(user);
    if (call != nullptr && call->getCalledFunction() == wait) calls.push_back(call);
  }
  for (CallBase* call : calls) {
    llvm::IRBuilder<> builder(call);
    llvm::Value* mutex = builder.CreateLoad(pointer, call->getArgOperand(1));
    builder.CreateCall(plain, {call->getArgOperand(0), mutex});
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call)) {
      builder.CreateBr(invoke->getNormalDest());
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    }
    call->eraseFromParent();
  }
}

// Returning from main is exit, which matters if it calls something.
void ExitFromMain(llvm::Module& module) {
  Function* main = module.getFunction("main");
  bool calls = module.getFunction("atexit") != nullptr || module.getFunction("on_exit") != nullptr ||
               module.getFunction("__cxa_atexit") != nullptr || module.getFunction("__cxa_thread_atexit") != nullptr;
  if (main == nullptr || main->isDeclaration() || !calls || !main->getReturnType()->isIntegerTy(32)) return;
  llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
  llvm::FunctionCallee leave = module.getOrInsertFunction("exit", llvm::Type::getVoidTy(module.getContext()), number);
  for (llvm::BasicBlock& block : *main) {
    auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (ret == nullptr) continue;
    llvm::IRBuilder<> builder(ret);
    builder.CreateCall(leave, {ret->getReturnValue()});
  }
}

// The number that the function returns whatever happens; null: it is not one.
llvm::Constant* OnlyResult(const Function& function) {
  llvm::Constant* only = nullptr;
  for (const llvm::BasicBlock& block : function) {
    const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (ret == nullptr) continue;
    auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(ret->getReturnValue());
    if (number == nullptr || (only != nullptr && only != number)) return nullptr;
    only = number;
  }
  return only;
}

// std::suspend_always is never ready: which way is taken behind such a call is known.
void FoldResults(llvm::Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration() || function.isInterposable()) continue;
    llvm::Constant* result = OnlyResult(function);
    if (result == nullptr) continue;
    for (llvm::User* user : function.users()) {
      auto* call = llvm::dyn_cast<CallBase>(user);
      if (call != nullptr && call->getCalledFunction() == &function) call->replaceAllUsesWith(result);
    }
  }
}

// A number that ways bring together, compared: each way knows the outcome, so that it can go on where that leads.
void FoldComparisons(llvm::Module& module) {
  std::vector<std::pair<llvm::ICmpInst*, llvm::PHINode*>> found;
  for (Function& function : module) {
    for (llvm::Instruction& at : llvm::instructions(function)) {
      auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&at);
      auto* phi = compare == nullptr ? nullptr : llvm::dyn_cast<llvm::PHINode>(compare->getOperand(0));
      bool numbers = phi != nullptr && phi->getParent() == compare->getParent() &&
                     llvm::isa<llvm::ConstantInt>(compare->getOperand(1)) &&
                     std::all_of(phi->incoming_values().begin(), phi->incoming_values().end(),
                                 [](const llvm::Use& value) { return llvm::isa<llvm::ConstantInt>(value.get()); });
      if (numbers) found.emplace_back(compare, phi);
    }
  }
  for (auto& [compare, phi] : found) {
    auto* outcome = llvm::PHINode::Create(compare->getType(), phi->getNumIncomingValues(), "", phi->getIterator());
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      bool is = llvm::ICmpInst::compare(llvm::cast<llvm::ConstantInt>(phi->getIncomingValue(i))->getValue(),
                                        llvm::cast<llvm::ConstantInt>(compare->getOperand(1))->getValue(),
                                        compare->getPredicate());
      outcome->addIncoming(llvm::ConstantInt::getBool(compare->getType(), is), phi->getIncomingBlock(i));
    }
    compare->replaceAllUsesWith(outcome);
    compare->eraseFromParent();
  }
}

void CleanUp(llvm::Module& module) {
  llvm::legacy::FunctionPassManager passes(&module);
  passes.add(llvm::createSROAPass());
  passes.add(llvm::createEarlyCSEPass());
  passes.add(llvm::createCFGSimplificationPass());
  passes.doInitialization();
  for (Function& function : module) {
    if (!function.isDeclaration()) passes.run(function);
  }
  passes.doFinalization();
}

// What nobody calls any more, since its copies are in its callers. In a program nobody else can; of a library, and
// where functions are looked up by name, the exported ones stay.
void DropUnused(llvm::Module& module, bool is_library) {
  bool by_name = module.getFunction("dlsym") != nullptr || module.getFunction("dlvsym") != nullptr;
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& function : llvm::make_early_inc_range(module)) {
      bool stays = function.isDeclaration() || function.getName() == "main" || IsOwnAllocation(function) ||
                   ((is_library || by_name) && !function.hasLocalLinkage()) || !function.use_empty();
      if (stays) continue;
      function.eraseFromParent();
      changed = true;
    }
  }
}

}  // namespace

void Normalise(llvm::Module& module, const Primitives& primitives, bool is_library) {
  DropRequests(module);
  ReplaceConditionWaits(module);
  JoinSections(module);
  ShowHiddenCalls(module);
  ExitFromMain(module);
  CleanUp(module);
  FoldResults(module);
  ReplaceCxxTemplates(module);
  Inliner(module, primitives).Run();
  DropUnused(module, is_library);
  CleanUp(module);
  FoldComparisons(module);
  CleanUp(module);
  ShowSpinLocks(module);
}

}  // namespace heddle::deadlock
