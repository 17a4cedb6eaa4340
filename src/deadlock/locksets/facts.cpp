#include "deadlock/locksets/facts.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

namespace {

// Operations that change what is held or who runs.
bool Matter(Action action) {
  switch (action) {
    case Action::kLock:
    case Action::kTryLock:
    case Action::kTimedLock:
    case Action::kUnlock:
    case Action::kCondWait:
    case Action::kLockAll:
    case Action::kSemWait:
    case Action::kSemTry:
    case Action::kSemPost:
    case Action::kOnce:
    case Action::kCreate:
    case Action::kJoin:
    case Action::kStdStart:
    case Action::kThreadExit:
    case Action::kProcessExit:
    case Action::kExit:
    case Action::kLongjmp:
    case Action::kSetjmp:
    case Action::kDispatch:
    case Action::kThreadGone:
    case Action::kThreadsGone:
      return true;
    default:
      return false;
  }
}

std::vector<Function*> WithBody(std::vector<Function*> functions) {
  std::erase_if(functions, [](Function* f) { return f->isDeclaration(); });
  std::sort(functions.begin(), functions.end(), [](Function* a, Function* b) { return a->getName() < b->getName(); });
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  return functions;
}

// libstdc++'s call_once leaves the callable in a thread-local variable and passes a function of the library: the store
// before the call says which one.
const llvm::Value* OnceCallable(const CallBase& call) {
  for (const llvm::BasicBlock* block = call.getParent(); block != nullptr; block = block->getSinglePredecessor()) {
    const llvm::Instruction* at = block == call.getParent() ? &call : block->getTerminator();
    for (; at != nullptr; at = at->getPrevNode()) {
      const auto* store = dyn_cast<llvm::StoreInst>(at);
      if (store == nullptr) continue;
      const llvm::Value* address = store->getPointerOperand();
      if (const auto* tls = dyn_cast<llvm::IntrinsicInst>(address)) address = tls->getArgOperand(0);
      if (address->getName() == "_ZSt11__once_call") return store->getValueOperand();
    }
  }
  return nullptr;
}

}  // namespace

Facts::Facts(llvm::Module& module, const Primitives& primitives, PointsTo& points, bool is_library, bool everything,
             bool accessed)
    : module_(module), primitives_(primitives), points_(points), accessed_(accessed) {
  for (Function& function : module_) {
    bool exported = !function.isDeclaration() && !function.hasLocalLinkage();
    if (function.getName() == "main" ? exported : is_library && IsEntryOfLibrary(function))
      entries_.push_back(&function);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm()) continue;
      meanings_.emplace(call, MakeMeaning(*call));
      order_[call] = static_cast<uint32_t>(order_.size() + 1);
    }
  }
  FindConstructors();
  FindCycles();
  FindMatters();
  for (const Function& function : module_) {
    if (everything && !function.isDeclaration()) matters_.insert(&function);
  }
  FindOnce(is_library);
  kinds_ = std::make_unique<MutexKinds>(module_, primitives_, points_);
  only_c_ = !module_.debug_compile_units().empty();
  for (const llvm::DICompileUnit* unit : module_.debug_compile_units()) {
    only_c_ &= !llvm::dwarf::isCPlusPlus(static_cast<llvm::dwarf::SourceLanguage>(unit->getSourceLanguage()));
  }
  for (const char* name : {"pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np",
                           "pthread_mutexattr_setprotocol", "pthread_mutexattr_setprioceiling"}) {
    special_mutexes_ |= module_.getFunction(name) != nullptr;
  }
  FindRelevantParameters();
}

std::vector<Function*> Facts::CalledBack(const CallBase& call, const Primitive& primitive) {
  std::vector<Function*> functions;
  auto add = [&](const llvm::Value* value) {
    std::vector<Function*> more = points_.Functions(points_.Of(value));
    functions.insert(functions.end(), more.begin(), more.end());
  };
  if (primitive.start >= 0 && static_cast<unsigned>(primitive.start) < call.arg_size()) {
    const llvm::Value* start = call.getArgOperand(static_cast<unsigned>(primitive.start));
    add(start);
    const auto* proxy = dyn_cast<Function>(start->stripPointerCasts());
    if (primitive.action == Action::kOnce && proxy != nullptr && proxy->getName() == "__once_proxy") {
      if (const llvm::Value* callable = OnceCallable(call)) {
        add(callable);
      } else if (const llvm::GlobalVariable* kept = module_.getGlobalVariable("_ZSt11__once_call")) {
        std::vector<Function*> more = points_.Functions(points_.Contents(points_.LocOfGlobal(*kept)));
        functions.insert(functions.end(), more.begin(), more.end());
      }
    }
  } else {
    for (const llvm::Value* argument : call.args()) {
      if (argument->getType()->isPointerTy()) add(argument);
    }
  }
  return WithBody(functions);
}

// Streams, locales and memory resources of the C++ library call what the program gave them; stdio calls the functions
// of a cookie, and what was registered for printf.
bool Facts::MayRunKept(const Function& callee, const Primitive* primitive) const {
  if (!callee.isDeclaration() || points_.kept_callbacks().empty()) return false;
  if (primitive == nullptr && callee.getName().starts_with("_Z")) return true;
  bool plain = primitive == nullptr || primitive->action == Action::kNothing || primitive->action == Action::kPlain ||
               primitive->action == Action::kReturnsArg;
  return plain &&
         (module_.getFunction("fopencookie") != nullptr || module_.getFunction("register_printf_function") != nullptr ||
          module_.getFunction("register_printf_specifier") != nullptr);
}

CallMeaning Facts::MakeMeaning(const CallBase& call) {
  CallMeaning meaning;
  for (Function* callee : points_.Callees(call)) {
    if (callee->isIntrinsic()) continue;
    const Primitive* primitive = primitives_.Find(callee->getName().str());
    if (primitive == nullptr && !callee->isDeclaration()) {
      meaning.callees.push_back(callee);
      continue;
    }
    std::vector<Function*> back;
    if (primitive != nullptr && primitive->action == Action::kThreadExit) ends_by_unwinding_ = true;
    if (MayRunKept(*callee, primitive)) {
      meaning.callbacks.insert(meaning.callbacks.end(), points_.kept_callbacks().begin(),
                               points_.kept_callbacks().end());
      meaning.callbacks = WithBody(meaning.callbacks);
    }
    if (primitive == nullptr) {
      meaning.may_do_nothing = true;
    } else {
      if (!Matter(primitive->action)) meaning.may_do_nothing = true;
      if (Matter(primitive->action)) {
        if (meaning.primitive == nullptr)
          meaning.primitive = primitive;
        else
          meaning.others.push_back(primitive);
      }
      switch (primitive->action) {
        case Action::kCreate:
          for (Function* start : CalledBack(call, *primitive)) meaning.starts.push_back(start);
          meaning.starts = WithBody(meaning.starts);
          break;
        case Action::kStdStart: {
          if (points_.stats().gave_up) {
            meaning.starts = WithBody(points_.Functions(points_.Contents(0)));
            break;
          }
          for (LocId loc : points_.Of(call.getArgOperand(1))) {
            for (LocId state : points_.Contents(loc)) {
              for (LocId table : points_.Contents(state)) {
                LocId slot = points_.locations().Shift(table, 16);
                if (slot == kNoLoc) continue;
                for (Function* f : points_.Functions(points_.Contents(slot))) meaning.starts.push_back(f);
              }
            }
          }
          meaning.starts = WithBody(meaning.starts);
          break;
        }
        case Action::kOnce:
        case Action::kCallNow:
          back = CalledBack(call, *primitive);
          break;
        case Action::kCallLater:
          if (primitive->start >= 0) back = CalledBack(call, *primitive);
          break;
        case Action::kExit:
          back.assign(points_.exit_functions().begin(), points_.exit_functions().end());
          back = WithBody(back);
          break;
        case Action::kSignal:
          signal_calls_.push_back(&call);
          break;
        case Action::kDispatch:
          back.assign(points_.kept_callbacks().begin(), points_.kept_callbacks().end());
          back = WithBody(back);
          break;
        default:
          break;
      }
    }
    meaning.callbacks.insert(meaning.callbacks.end(), back.begin(), back.end());
  }
  bool through_pointer = !llvm::isa<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (through_pointer && points_.Callees(call).empty() && !points_.CallsOutside(call)) unknown_calls_.push_back(&call);
  if (points_.CallsOutside(call)) {
    // It may call whatever is known outside, before it returns.
    meaning.may_do_nothing = true;
    meaning.callbacks.insert(meaning.callbacks.end(), points_.kept_callbacks().begin(), points_.kept_callbacks().end());
    meaning.callbacks = WithBody(meaning.callbacks);
  }
  return meaning;
}

const CallMeaning& Facts::Meaning(const CallBase& call) const {
  auto found = meanings_.find(&call);
  return found == meanings_.end() ? nothing_ : found->second;
}

bool Facts::CallMatters(const CallBase& call) const {
  const CallMeaning& meaning = Meaning(call);
  if (meaning.primitive != nullptr) return true;
  auto matters = [this](const Function* f) { return Matters(f); };
  return std::any_of(meaning.callees.begin(), meaning.callees.end(), matters) ||
         std::any_of(meaning.callbacks.begin(), meaning.callbacks.end(), matters);
}

// Functions of the sections in which the loader finds what it calls before main.
static void AddFromSections(const llvm::Module& module, std::vector<Function*>* functions) {
  for (const llvm::GlobalVariable& global : module.globals()) {
    llvm::StringRef section = global.getSection();
    bool before_main =
        section.starts_with(".init_array") || section.starts_with(".preinit_array") || section.starts_with(".ctors");
    if (!before_main || !global.hasInitializer()) continue;
    const llvm::Constant* value = global.getInitializer();
    auto add = [&](llvm::Value* one) {
      auto* function = dyn_cast<Function>(one->stripPointerCasts());
      if (function != nullptr && !function->isDeclaration()) functions->push_back(function);
    };
    add(const_cast<llvm::Constant*>(value));
    if (!llvm::isa<llvm::ConstantArray>(value)) continue;
    for (const llvm::Use& element : value->operands()) add(element.get());
  }
}

void Facts::FindConstructors() {
  AddFromSections(module_, &constructors_);
  const llvm::GlobalVariable* list = module_.getGlobalVariable("llvm.global_ctors");
  if (list == nullptr || !list->hasInitializer()) return;
  const auto* records = dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (records == nullptr) return;
  for (const llvm::Use& record : records->operands()) {
    const auto* parts = dyn_cast<llvm::ConstantStruct>(record.get());
    auto* function = parts == nullptr ? nullptr : dyn_cast<Function>(parts->getOperand(1)->stripPointerCasts());
    if (function != nullptr && !function->isDeclaration()) constructors_.push_back(function);
  }
}

void Facts::FindCycles() {
  for (Function& function : module_) {
    if (function.isDeclaration()) continue;
    if (function.callsFunctionThatReturnsTwice()) {  // longjmp comes back to where no loop is written
      for (const llvm::BasicBlock& block : function) in_cycle_.insert(&block);
      continue;
    }
    for (auto scc = llvm::scc_begin(&function); !scc.isAtEnd(); ++scc) {
      if (!scc.hasCycle()) continue;
      for (const llvm::BasicBlock* block : *scc) in_cycle_.insert(block);
    }
  }
}

void Facts::FindMatters() {
  std::unordered_map<const Function*, std::vector<const Function*>> callers;
  std::vector<const Function*> work;
  for (const auto& [call, meaning] : meanings_) {
    const Function* caller = call->getFunction();
    if (meaning.primitive != nullptr && matters_.insert(caller).second) work.push_back(caller);
    for (Function* callee : meaning.callees) callers[callee].push_back(caller);
    for (Function* callee : meaning.callbacks) callers[callee].push_back(caller);
  }
  // A new coroutine stands at its first suspend point.
  for (const Function& function : module_) {
    bool makes = module_.getFunction((function.getName() + ".resume").str()) != nullptr;
    if (makes && matters_.insert(&function).second) work.push_back(&function);
  }
  while (!work.empty()) {
    const Function* function = work.back();
    work.pop_back();
    for (const Function* caller : callers[function]) {
      if (matters_.insert(caller).second) work.push_back(caller);
    }
  }
}

void Facts::FindOnce(bool is_library) {
  if (is_library) return;
  struct Uses {
    const CallBase* only = nullptr;
    size_t count = 0;
  };
  std::unordered_map<const Function*, Uses> uses;
  for (const auto& [call, meaning] : meanings_) {
    for (Function* callee : meaning.callees) uses[callee] = {call, uses[callee].count + 1};
    for (Function* start : meaning.starts) uses[start] = {call, uses[start].count + 1};
    bool once = meaning.primitive != nullptr && meaning.primitive->action == Action::kOnce;
    for (Function* back : meaning.callbacks) uses[back] = {call, uses[back].count + (once ? 1 : 2)};
  }
  for (Function* kept : points_.kept_callbacks()) uses[kept].count += 2;
  for (Function* handler : points_.signal_handlers()) uses[handler].count += 2;
  for (const Function* entry : entries_) {
    if (uses[entry].count == 0) once_.insert(entry);
  }
  for (const Function* constructor : constructors_) {
    if (uses[constructor].count == 0) once_.insert(constructor);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& [function, use] : uses) {
      if (use.count != 1 || once_.count(function) != 0 || use.only == nullptr) continue;
      if (once_.count(use.only->getFunction()) == 0 || InCycle(use.only->getParent())) continue;
      once_.insert(function);
      changed = true;
    }
  }
}

bool Facts::HappensOnce(const llvm::Instruction& instruction) const {
  return once_.count(instruction.getFunction()) != 0 && !InCycle(instruction.getParent());
}

bool Facts::RecursiveOperation(const CallBase& call) const {
  const CallMeaning& meaning = Meaning(call);
  return meaning.primitive != nullptr && meaning.primitive->recursive && meaning.others.empty();
}

bool Facts::CannotFail(const CallBase& call) const {
  const CallMeaning& meaning = Meaning(call);
  const Function* callee = call.getCalledFunction();
  bool mutex =
      callee != nullptr && (callee->getName() == "pthread_mutex_lock" || callee->getName() == "pthread_mutex_unlock");
  return mutex && !special_mutexes_ && meaning.primitive != nullptr && callee->isDeclaration();
}

bool Facts::HandlesSeveral(const Function* handler) const {
  size_t signals = 0;
  for (const llvm::User* user : handler->users()) {
    const auto* instruction = dyn_cast<llvm::Instruction>(user);
    if (instruction == nullptr) return true;  // in a table, or in an initialiser
    // Called by the program itself: no signal comes with that.
    const auto* call = dyn_cast<CallBase>(instruction);
    if (call != nullptr && call->getCalledOperand() == handler) continue;
    // As an argument it is for one signal; put into memory, for those of any call that reads it there.
    if (call != nullptr) signals += HappensOnce(*call) ? 1 : 2;
    if (call != nullptr) continue;
    for (const CallBase* install : signal_calls_) signals += HappensOnce(*install) ? 1 : 2;
  }
  return signals > 1;
}

bool Facts::Single(LocId loc) const {
  const Locations& locations = points_.locations();
  if (locations.IsProgression(loc)) return false;
  const Object& object = locations.object_of(loc);
  switch (object.kind) {
    case ObjectKind::kGlobal:
      return !object.is_thread_local;
    case ObjectKind::kStack:
      // Entry-block slots of a function that runs once; allocas in loops make one for each turn.
      if (const auto* alloca = dyn_cast<llvm::AllocaInst>(object.site)) return HappensOnce(*alloca);
      return false;
    case ObjectKind::kHeap:
      if (const auto* call = dyn_cast<llvm::Instruction>(object.site)) return HappensOnce(*call);
      return false;
    default:
      return false;
  }
}

}  // namespace heddle::deadlock
