#include "deadlock/locksets/mutex_kinds.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/locksets/transfer.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

namespace {

constexpr int64_t kKindOffset = 16;  // of __kind in glibc's pthread_mutex_t
constexpr int kMaxDepth = 4;         // of functions that initialise for their callers

LockKinds KindOf(int64_t number) {
  LockKinds kinds;
  (number == 1 ? kinds.recursive : number == 2 ? kinds.errorcheck : kinds.normal) = true;
  return kinds;
}

bool SameSymbol(const llvm::Module& module, const llvm::Value* a, const llvm::Value* b) {
  Symbol x = SymbolOf(module, a), y = SymbolOf(module, b);
  return x.root == y.root && x.offset == y.offset;
}

bool Dominates(const CallBase& first, const CallBase& second) {
  if (first.getFunction() != second.getFunction()) return false;
  return llvm::DominatorTree(*const_cast<Function*>(first.getFunction())).dominates(&first, &second);
}

}  // namespace

MutexKinds::MutexKinds(llvm::Module& module, const Primitives& primitives, PointsTo& points)
    : module_(module), primitives_(primitives), points_(points) {
  for (Function& function : module_) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const auto* call = dyn_cast<CallBase>(&instruction)) Read(*call);
      ReadStore(instruction);
    }
  }
  for (const CallBase* call : mutex_inits_) {
    const llvm::Value* mutex = call->getArgOperand(0);
    for (LocId loc : points_.Of(mutex)) initialised_[points_.locations().loc(loc).object].push_back(loc);
    Give(mutex, 0, FromAttribute(*call));
  }
  for (auto& [object, locs] : initialised_) {
    std::sort(locs.begin(), locs.end());
    locs.erase(std::unique(locs.begin(), locs.end()), locs.end());
  }
}

void MutexKinds::Read(const CallBase& call) {
  for (Function* callee : points_.Callees(call)) {
    if (callee->getName() == "pthread_mutexattr_init") attribute_inits_.push_back(&call);
    const Primitive* primitive = primitives_.Find(callee->getName().str());
    if (primitive == nullptr) continue;
    if (primitive->action == Action::kLockInit && call.arg_size() > 1) mutex_inits_.push_back(&call);
    if (primitive->action == Action::kAttrKind && call.arg_size() > 1) {
      const auto* number = dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
      bool c11 = callee->getName().starts_with("mtx_");
      LockKinds kinds{true, true, true};
      if (number != nullptr) kinds = KindOf(c11 ? number->getSExtValue() & 1 : number->getSExtValue());
      if (c11)
        Give(call.getArgOperand(0), 0, kinds);
      else
        attribute_kinds_.push_back({&call, call.getArgOperand(0), kinds});
    }
    if (primitive->recursive) {
      // Whether such a lock can be taken again is said by the operation (Facts::RecursiveOperation).
      const llvm::Value* operand = call.getArgOperand(static_cast<unsigned>(primitive->lock));
      for (LocId loc : points_.Of(operand)) given_[loc].recursive = true;
    }
  }
}

// A kind that is written into the memory of a mutex: static initialisers of objects that are not global.
void MutexKinds::ReadStore(const llvm::Value& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (store == nullptr) return;
  const auto* number = dyn_cast<llvm::ConstantInt>(store->getValueOperand());
  if (number == nullptr || number->getBitWidth() > 64) return;
  int64_t value = number->getSExtValue();
  if (value == 1 || value == 2) Give(store->getPointerOperand(), -kKindOffset, KindOf(value));
}

void MutexKinds::Give(const llvm::Value* operand, int64_t shift, const LockKinds& kinds) {
  for (LocId at : points_.Of(operand)) {
    LocId loc = points_.locations().IsProgression(at) && shift != 0 ? kNoLoc : points_.locations().Shift(at, shift);
    if (loc != kNoLoc) given_[loc].Add(kinds);
  }
  Surely(operand, shift, 0);
}

// The operand is one location; or it is a parameter, and some caller passes one location.
void MutexKinds::Surely(const llvm::Value* operand, int64_t shift, int depth) {
  const LocSet& set = points_.Of(operand);
  if (set.size() == 1) {
    LocId loc = points_.locations().Shift(set[0], shift);
    if (loc != kNoLoc) surely_.insert(loc);
    return;
  }
  Symbol symbol = SymbolOf(module_, operand);
  const auto* parameter = dyn_cast<llvm::Argument>(symbol.root);
  if (parameter == nullptr || depth == kMaxDepth) return;
  for (const llvm::User* user : parameter->getParent()->users()) {
    const auto* call = dyn_cast<CallBase>(user);
    bool passes = call != nullptr && call->getCalledFunction() == parameter->getParent() &&
                  parameter->getArgNo() < call->arg_size();
    if (passes) Surely(call->getArgOperand(parameter->getArgNo()), shift + symbol.offset, depth + 1);
  }
}

bool MutexKinds::MayBe(const llvm::Value* operand, LocId loc) const {
  const LocSet& set = points_.Of(operand);
  return set.empty() ||
         std::any_of(set.begin(), set.end(), [&](LocId other) { return points_.locations().Overlap(other, loc); });
}

// The kinds of a mutex that this call initialises.
LockKinds MutexKinds::FromAttribute(const CallBase& call) const {
  const llvm::Value* attribute = call.getArgOperand(1);
  if (llvm::isa<llvm::ConstantPointerNull>(attribute)) return {true, false, false};
  const LocSet& set = points_.Of(attribute);
  LockKinds kinds{true, true, true};
  if (set.empty()) return kinds;
  kinds = {};
  for (const Change& change : attribute_kinds_) {
    for (LocId loc : set) {
      if (MayBe(change.operand, loc)) kinds.Add(change.kinds);
    }
  }
  bool prepared = std::all_of(set.begin(), set.end(), [this](LocId loc) { return Prepared(loc); });
  if (!prepared && !SurelySet(call)) kinds.normal = true;
  return kinds;
}

// In the same function, earlier on every path.
bool MutexKinds::SurelySet(const CallBase& call) const {
  return std::any_of(attribute_kinds_.begin(), attribute_kinds_.end(), [&](const Change& change) {
    return SameSymbol(module_, change.operand, call.getArgOperand(1)) && Dominates(*change.call, call);
  });
}

// Whoever initialises the attribute sets its kind before a mutex is made with it.
bool MutexKinds::Prepared(LocId attribute) const {
  bool any = false;
  for (const CallBase* init : attribute_inits_) {
    if (!MayBe(init->getArgOperand(0), attribute)) continue;
    if (!PreparedBy(*init)) return false;
    any = true;
  }
  return any;
}

bool MutexKinds::PreparedBy(const CallBase& init) const {
  return std::any_of(attribute_kinds_.begin(), attribute_kinds_.end(), [&](const Change& change) {
    if (!SameSymbol(module_, change.operand, init.getArgOperand(0)) || !Dominates(init, *change.call)) return false;
    return std::none_of(mutex_inits_.begin(), mutex_inits_.end(), [&](const CallBase* made) {
      bool plain = llvm::isa<llvm::ConstantPointerNull>(made->getArgOperand(1));
      return !plain && made->getFunction() == init.getFunction() && !Dominates(*change.call, *made);
    });
  });
}

// The kind in the initialiser of a global; false if there is none to read.
bool MutexKinds::Static(LocId loc, LockKinds* kinds) const {
  const Object& object = points_.locations().object_of(loc);
  const auto* global = object.site == nullptr ? nullptr : dyn_cast<llvm::GlobalVariable>(object.site);
  if (global == nullptr || !global->hasInitializer() || points_.locations().IsProgression(loc)) return false;
  llvm::APInt at(64, static_cast<uint64_t>(points_.locations().loc(loc).offset + kKindOffset));
  auto* initialiser = const_cast<llvm::Constant*>(global->getInitializer());
  llvm::Type* number = llvm::Type::getInt32Ty(module_.getContext());
  llvm::Constant* folded = llvm::ConstantFoldLoadFromConst(initialiser, number, at, module_.getDataLayout());
  const auto* value = llvm::dyn_cast_or_null<llvm::ConstantInt>(folded);
  if (value == nullptr) return false;
  kinds->Add(KindOf(value->getSExtValue()));
  return true;
}

LockKinds MutexKinds::Compute(LocId loc) const {
  const Locations& locations = points_.locations();
  LockKinds kinds;
  for (const auto& [given, more] : given_) {
    if (locations.Overlap(given, loc)) kinds.Add(more);
  }
  bool surely = surely_.count(loc) != 0 || std::any_of(surely_.begin(), surely_.end(), [&](LocId sure) {
                  return !locations.IsProgression(loc) && locations.IsProgression(sure) &&
                         locations.loc(sure).stride > 1 && locations.Overlap(sure, loc);
                });
  if (!surely && !Static(loc, &kinds)) kinds.normal = true;
  if (!kinds.recursive && !kinds.errorcheck) kinds.normal = true;
  return kinds;
}

LockKinds MutexKinds::Of(LocId loc) const {
  auto known = known_.find(loc);
  if (known == known_.end()) known = known_.emplace(loc, Compute(loc)).first;
  return known->second;
}

}  // namespace heddle::deadlock
