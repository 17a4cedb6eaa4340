#include "deadlock/races/accesses.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/input/handoff_code.h"
#include "deadlock/races/library_uses.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

constexpr size_t kManyTargets = 4;

int64_t BytesOf(const llvm::Instruction& at, llvm::Type* type) {
  llvm::TypeSize size = at.getModule()->getDataLayout().getTypeStoreSize(type);
  return size.isScalable() ? Locations::kUnbounded : static_cast<int64_t>(size.getFixedValue());
}

int64_t LengthOf(const llvm::CallBase& call, unsigned number) {
  const auto* length = number < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(number)) : nullptr;
  return length == nullptr || length->getBitWidth() > 64 ? Locations::kUnbounded : length->getSExtValue();
}

// std::cout and the like, which every thread may use.
bool IsStandardStream(const llvm::Value* pointer) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, 0));
  if (global == nullptr || !global->isDeclaration()) return false;
  for (const char* name :
       {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt3cin", "_ZSt5wcout", "_ZSt5wcerr", "_ZSt5wclog", "_ZSt4wcin"}) {
    if (global->getName() == name) return true;
  }
  return false;
}

std::vector<MemoryUse> UsesOfCall(const llvm::CallBase& call) {
  std::vector<MemoryUse> uses;
  auto add = [&](int argument, int length, bool writes) {
    if (argument < 0 || static_cast<unsigned>(argument) >= call.arg_size()) return;
    int64_t bytes = length < 0 ? Locations::kUnbounded : LengthOf(call, static_cast<unsigned>(length));
    uses.push_back({call.getArgOperand(static_cast<unsigned>(argument)), bytes, writes, false, false});
  };
  if (const auto* intrinsic = dyn_cast<llvm::MemIntrinsic>(&call)) {
    add(0, 2, true);
    if (llvm::isa<llvm::MemTransferInst>(intrinsic)) add(1, 2, false);
    return uses;
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee != nullptr && callee->getName() == "calloc")
    uses.push_back({&call, Locations::kUnbounded, true, false, false});
  for (const LibraryAccess& access : LibraryUses(call)) {
    uses.push_back({call.getArgOperand(access.argument), access.bytes, access.writes, false, false});
  }
  for (const LibraryAccess& access : CxxLibraryUses(call)) {
    const llvm::Value* address = call.getArgOperand(access.argument);
    if (!IsStandardStream(address)) uses.push_back({address, access.bytes, access.writes, false, false});
  }
  return uses;
}

bool IsConstant(const llvm::Value* pointer) {
  const auto* global = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, 0));
  return global != nullptr && global->isConstant();
}

// The variable itself, not through a pointer that came from elsewhere.
bool IsOwn(const llvm::Value* pointer) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, 0);
  if (llvm::isa<llvm::AllocaInst>(base)) return true;
  if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(base)) {
    return intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
  }
  const auto* global = dyn_cast<llvm::GlobalVariable>(base);
  return global != nullptr && global->isThreadLocal();
}

// Whether the address of what `made` made can be known to somebody else when `at` is reached. In a loop each turn makes
// another one: ways that go through `made` again do not count.
class HandedOut final : public llvm::CaptureTracker {
 public:
  HandedOut(const llvm::Instruction& made, const llvm::Instruction& at, const llvm::DominatorTree& tree)
      : made_(made), at_(at), tree_(tree) {}
  bool found() const { return found_; }

 private:
  void tooManyUses() override { found_ = true; }
  bool captured(const llvm::Use* use) override {
    const auto* by = llvm::cast<llvm::Instruction>(use->getUser());
    if (llvm::isa<llvm::ReturnInst>(by) || Initialises(*by, *use) || !ComesFrom(*by)) return false;
    found_ = true;
    return true;
  }
  // Functions that make a lock of the memory, and know it by its address only when they are given it again.
  static bool Initialises(const llvm::Instruction& by, const llvm::Use& use) {
    const auto* call = dyn_cast<llvm::CallBase>(&by);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration() || !call->isArgOperand(&use)) return false;
    for (const char* name : {"pthread_mutex_init", "pthread_cond_init", "pthread_rwlock_init", "pthread_spin_init",
                             "pthread_barrier_init", "sem_init", "pthread_attr_init", "pthread_mutexattr_init"}) {
      if (callee->getName() == name) return true;
    }
    return false;
  }
  bool ComesFrom(const llvm::Instruction& by) const {
    const llvm::BasicBlock *from = by.getParent(), *to = at_.getParent(), *again = made_.getParent();
    if (from == to && (&by == &at_ ? false : by.comesBefore(&at_))) return true;
    if (to == again) return false;  // from its top on, through `made`
    llvm::SmallPtrSet<llvm::BasicBlock*, 1> without{const_cast<llvm::BasicBlock*>(again)};  // NOLINT: only read
    llvm::SmallVector<llvm::BasicBlock*, 8> next;
    for (const llvm::BasicBlock* one : llvm::successors(from)) {
      if (one != again) next.push_back(const_cast<llvm::BasicBlock*>(one));  // NOLINT: only read
    }
    return !next.empty() && llvm::isPotentiallyReachableFromMany(next, to, &without, &tree_);
  }

  const llvm::Instruction& made_;
  const llvm::Instruction& at_;
  const llvm::DominatorTree& tree_;
  bool found_ = false;
};

}  // namespace

std::vector<MemoryUse> UsesOf(const llvm::Instruction& at) {
  if (const auto* load = dyn_cast<llvm::LoadInst>(&at)) {
    return {{load->getPointerOperand(), BytesOf(at, load->getType()), false, load->isAtomic(), load->isVolatile()}};
  }
  if (const auto* store = dyn_cast<llvm::StoreInst>(&at)) {
    return {{store->getPointerOperand(), BytesOf(at, store->getValueOperand()->getType()), true, store->isAtomic(),
             store->isVolatile()}};
  }
  if (const auto* change = dyn_cast<llvm::AtomicRMWInst>(&at)) {
    return {{change->getPointerOperand(), BytesOf(at, change->getType()), true, true, false}};
  }
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
    return {{exchange->getPointerOperand(), BytesOf(at, exchange->getNewValOperand()->getType()), true, true, false}};
  }
  if (const auto* call = dyn_cast<llvm::CallBase>(&at)) return UsesOfCall(*call);
  return {};
}

void AccessLog::NewRound() {
  pending_.clear();
  reached_.clear();
  unknown_.clear();
  outside_.clear();
}

// The state of a std::thread belongs to the pointer that the library moves to the new thread: whoever destroys it has
// it alone.
static bool DestroysThreadState(const llvm::Instruction& at) {
  llvm::StringRef name = at.getFunction()->getName();
  return name.starts_with("_ZNSt6thread11_State_implI") && (name.ends_with("D0Ev") || name.ends_with("D2Ev"));
}

void AccessLog::Note(ContextId context, const llvm::Instruction& at, StateId state, Evaluator& evaluator) {
  std::vector<MemoryUse> uses = UsesOf(at);
  if (uses.empty()) return;
  reached_.insert(&at);
  if (DestroysThreadState(at) || IsHandoffCode(at)) return;
  const Locations& locations = locksets_.facts().points().locations();
  for (const MemoryUse& use : uses) {
    if (!use.writes && IsConstant(use.pointer)) continue;
    LocSet targets = evaluator.Of(use.pointer);
    // Nothing is behind null; for anything else, not to know is not to be free of races.
    if (targets.empty() && !llvm::isa<llvm::ConstantPointerNull>(use.pointer)) unknown_.insert(&at);
    Access access;
    access.at = &at;
    access.context = context;
    access.bytes = use.bytes;
    access.writes = use.writes;
    access.atomic = use.atomic;
    access.is_volatile = use.is_volatile;
    access.own = IsOwn(use.pointer);
    access.fresh = IsFresh(at, use.pointer);
    access.element = elements_.Of(at, use.pointer, use.bytes);
    access.many_targets = targets.size() > kManyTargets;
    for (LocId target : targets) {
      std::vector<LocId> members = locations.object_of(target).members;
      if (members.empty()) members.push_back(target);
      for (LocId loc : members) {
        ObjectId object = locations.loc(loc).object;
        if (sharing_.Touched(object)) outside_.insert(&at);
        const llvm::Value* site = locations.object(object).site;
        bool stream = llvm::isa<llvm::CallBase>(at) && site != nullptr && IsStandardStream(site);
        if (!sharing_.Shared(object) || stream) continue;
        access.loc = loc;
        access.guards = guards_.At(at, use.pointer, use.bytes);
        pending_.push_back({access, state});
      }
    }
  }
}

bool AccessLog::IsFresh(const llvm::Instruction& at, const llvm::Value* pointer) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, 0);
  if (!llvm::isa<llvm::AllocaInst>(base) && !llvm::isNoAliasCall(base)) return false;
  auto [place, unknown] = fresh_.try_emplace({base, &at});
  if (!unknown) return place->second;
  const llvm::Function* function = at.getFunction();
  std::unique_ptr<llvm::DominatorTree>& tree = dominators_[function];
  if (!tree) tree = std::make_unique<llvm::DominatorTree>(*const_cast<llvm::Function*>(function));  // NOLINT: only read
  HandedOut handed_out(*llvm::cast<llvm::Instruction>(base), at, *tree);
  llvm::PointerMayBeCaptured(base, &handed_out, 0);
  place->second = !handed_out.found();
  return place->second;
}

MomentId AccessLog::Intern(ContextId context, StateId state) {
  auto [place, fresh] = known_moments_.try_emplace({context, state});
  if (!fresh) return place->second;
  const State& here = locksets_.states()[state];
  Moment moment{locksets_.OriginsOf(context), {}, locksets_.Running(here), {}};
  for (const MustLock& lock : here.must) {
    if (!locksets_.IsHandoff(lock.loc)) {
      bool again = !moment.must.empty() && moment.must.back() == lock;  // recursive
      if (!again && !locksets_.IsBroken(lock.loc)) moment.must.push_back(lock);
    } else if (locksets_.IsBelieved(lock, moment.origins)) {
      moment.orders.push_back(lock);
    }
  }
  auto [at, added] = moment_index_.emplace(moment, static_cast<MomentId>(moments_.size()));
  if (added) moments_.push_back(std::move(moment));
  place->second = at->second;
  return at->second;
}

void AccessLog::Finish() {
  const Locations& locations = locksets_.facts().points().locations();
  using Key = std::tuple<LocId, const llvm::Instruction*, MomentId, bool, int64_t>;
  std::set<Key> seen;
  for (Pending& one : pending_) {
    one.access.moment = Intern(one.access.context, one.state);
    Key key{one.access.loc, one.access.at, one.access.moment, one.access.writes, one.access.bytes};
    if (!seen.insert(key).second) continue;
    by_object_[locations.loc(one.access.loc).object].push_back(std::move(one.access));
  }
  pending_.clear();
}

}  // namespace heddle::deadlock
