// A pass for clang 19 that plants a bug in every thread of a file, behind all optimisations. Tests only.
//
//   REFINE_MUTATION=removed-store REFINE_MUTATED=list clang-19 -fpass-plugin=refine_plant.so -O2 -c threads.c
//
// Only places that every execution of a thread passes once are changed. The names of the threads that were changed are
// appended to the file REFINE_MUTATED. Mutations that begin with `allowed-` are ones that a compiler may do
// (section 3.4 of "Lock Correctness"). mutate.py does the same to the assembly of gcc -O0.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace llvm;

enum class Sync { kNone, kLock, kUnlock };

Sync SyncOf(const Instruction& i) {
  const auto* call = dyn_cast<CallInst>(&i);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr) return Sync::kNone;
  if (callee->getName() == "pthread_mutex_lock") return Sync::kLock;
  return callee->getName() == "pthread_mutex_unlock" ? Sync::kUnlock : Sync::kNone;
}

// A plain access to a constant place of a global.
struct Place {
  GlobalVariable* global = nullptr;
  int64_t offset = 0;
  uint64_t size = 0;
};

std::optional<Place> PlaceOf(Instruction& i) {
  auto* load = dyn_cast<LoadInst>(&i);
  auto* store = dyn_cast<StoreInst>(&i);
  if ((load == nullptr && store == nullptr) || i.isVolatile()) return std::nullopt;
  Value* pointer = load != nullptr ? load->getPointerOperand() : store->getPointerOperand();
  Type* type = load != nullptr ? load->getType() : store->getValueOperand()->getType();
  const DataLayout& layout = i.getModule()->getDataLayout();
  APInt offset(64, 0);
  auto* global =
      dyn_cast<GlobalVariable>(pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  if (global == nullptr || !type->isIntegerTy()) return std::nullopt;
  return Place{global, offset.getSExtValue(), layout.getTypeStoreSize(type).getFixedValue()};
}

// Whether an instruction may access the global at all: locals are on the stack and do not.
bool MayTouch(Instruction& i, const GlobalVariable* global) {
  if (!i.mayReadOrWriteMemory() || SyncOf(i) != Sync::kNone) return false;
  auto* load = dyn_cast<LoadInst>(&i);
  auto* store = dyn_cast<StoreInst>(&i);
  if (load == nullptr && store == nullptr) return true;
  const Value* base = getUnderlyingObject(load != nullptr ? load->getPointerOperand() : store->getPointerOperand());
  if (isa<AllocaInst>(base)) return false;
  return !isa<GlobalVariable>(base) || base == global;
}

class Planter {
 public:
  explicit Planter(Function& function) : function_(function), dominators_(function), posts_(function) {
    LoopInfo loops(dominators_);
    for (BasicBlock& block : function) {
      if (posts_.dominates(&block, &function.getEntryBlock()) && loops.getLoopFor(&block) == nullptr) {
        always_.push_back(&block);
      }
    }
  }

  bool Plant(StringRef what) {
    if (what == "removed-store") return BeforeUnlock([](StoreInst* s, Instruction*) { s->eraseFromParent(); });
    if (what == "store-behind-unlock") return BeforeUnlock([](StoreInst* s, Instruction* u) { s->moveAfter(u); });
    if (what == "duplicated-store") return BeforeUnlock([](StoreInst* s, Instruction* u) { s->clone()->insertAfter(u); });
    if (what == "load-before-lock") return LoadBeforeLock();
    if (what == "same-value-write") return SameValueWrite();
    if (what == "hoisted-store") return HoistedStore();
    if (what == "widened-store") return WidenedStore();
    if (what == "elided-lock") return ElidedLock();
    if (what == "swapped-locks") return SwappedLocks();
    if (what == "allowed-into-section") return IntoSection();
    if (what == "allowed-dead-store") return DeadStore();
    errs() << "unknown REFINE_MUTATION: " << what << "\n";
    std::exit(1);
  }

 private:
  // A store and an unlock behind it in the same block; nothing accesses the variable between them, nor behind the
  // unlock up to the next lock operation or the end: there the store might be moved (3.4.2).
  template <typename F>
  bool BeforeUnlock(F change) {
    for (BasicBlock* block : always_) {
      for (Instruction& i : *block) {
        if (SyncOf(i) != Sync::kUnlock) continue;
        StoreInst* store = LastStoreBefore(i);
        if (store == nullptr || !QuietBehind(i, PlaceOf(*store)->global)) continue;
        change(store, &i);
        return true;
      }
    }
    return false;
  }

  StoreInst* LastStoreBefore(Instruction& unlock) {
    for (Instruction* i = unlock.getPrevNode(); i != nullptr && SyncOf(*i) == Sync::kNone; i = i->getPrevNode()) {
      auto* store = dyn_cast<StoreInst>(i);
      if (store == nullptr || !PlaceOf(*store)) continue;
      bool quiet = true;
      for (Instruction* k = i->getNextNode(); k != &unlock; k = k->getNextNode()) {
        quiet = quiet && !MayTouch(*k, PlaceOf(*store)->global);
      }
      if (quiet) return store;
    }
    return nullptr;
  }

  static bool QuietBehind(Instruction& sync, const GlobalVariable* global) {
    for (Instruction* i = sync.getNextNode(); i != nullptr; i = i->getNextNode()) {
      if (SyncOf(*i) != Sync::kNone || isa<ReturnInst>(i)) return true;
      if (MayTouch(*i, global)) return false;
    }
    return false;
  }

  bool LoadBeforeLock() {
    for (BasicBlock* block : always_) {
      for (Instruction& lock : *block) {
        if (SyncOf(lock) != Sync::kLock) continue;
        for (Instruction* i = lock.getNextNode(); i != nullptr && SyncOf(*i) == Sync::kNone; i = i->getNextNode()) {
          std::optional<Place> place = PlaceOf(*i);
          if (!isa<LoadInst>(i) || !place) continue;
          bool first = true;
          for (Instruction* k = lock.getNextNode(); k != i; k = k->getNextNode()) {
            first = first && !MayTouch(*k, place->global);
          }
          if (!first) continue;
          i->moveBefore(&lock);
          return true;
        }
      }
    }
    return false;
  }

  static bool OnlyLoaded(const GlobalVariable& global) {
    for (const User* user : global.users()) {
      const auto* load = dyn_cast<LoadInst>(user);
      if (load == nullptr || load->isVolatile()) return false;
    }
    return !global.use_empty();
  }

  bool SameValueWrite() {
    for (GlobalVariable& global : function_.getParent()->globals()) {
      if (!global.getName().starts_with(Prefix()) || !OnlyLoaded(global)) continue;
      for (BasicBlock* block : always_) {
        for (Instruction& i : *block) {
          if (SyncOf(i) != Sync::kLock) continue;
          IRBuilder<> builder(i.getNextNode());
          // Volatile, or the code generator removes both.
          builder.CreateStore(builder.CreateLoad(builder.getInt8Ty(), &global, true), &global, true);
          return true;
        }
      }
    }
    return false;
  }

  // "t7_" for thread_7.
  std::string Prefix() const { return ("t" + function_.getName().drop_front(7) + "_").str(); }

  bool HoistedStore() {
    for (BasicBlock* block : always_) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      for (BasicBlock* next : branch->successors()) {
        if (next->getSinglePredecessor() != block || posts_.dominates(next, block)) continue;
        for (Instruction& i : *next) {
          if (SyncOf(i) != Sync::kNone) break;
          auto* store = dyn_cast<StoreInst>(&i);
          if (store == nullptr || !PlaceOf(i) || !OnlyStoreTo(PlaceOf(i)->global, store)) continue;
          auto* early = cast<StoreInst>(store->clone());
          early->setOperand(0, ConstantInt::get(store->getValueOperand()->getType(), 90));
          early->insertBefore(branch);
          return true;
        }
      }
    }
    return false;
  }

  bool OnlyStoreTo(const GlobalVariable* global, const StoreInst* only) {
    for (Instruction& i : instructions(function_)) {
      if (&i == only || isa<LoadInst>(i)) continue;
      if (MayTouch(i, global)) return false;
    }
    return true;
  }

  // An element of an array and its neighbour, which nothing else of the thread accesses.
  bool WidenedStore() {
    for (BasicBlock* block : always_) {
      for (Instruction& i : *block) {
        auto* store = dyn_cast<StoreInst>(&i);
        std::optional<Place> place = store == nullptr ? std::nullopt : PlaceOf(i);
        if (!place || place->size > 4 || place->offset % static_cast<int64_t>(2 * place->size) != 0) continue;
        auto* array = dyn_cast<ArrayType>(place->global->getValueType());
        if (array == nullptr || array->getElementType() != store->getValueOperand()->getType()) continue;
        if (!OnlyPlaceOf(*place)) continue;
        IRBuilder<> builder(store->getNextNode());
        Value* beside = builder.CreateConstGEP1_64(builder.getInt8Ty(), place->global,
                                                   static_cast<uint64_t>(place->offset) + place->size);
        builder.CreateStore(builder.CreateLoad(array->getElementType(), beside, true), beside, true);
        return true;
      }
    }
    return false;
  }

  static bool OnlyAccessed(const Constant& pointer) {
    for (const User* user : pointer.users()) {
      const auto* part = dyn_cast<ConstantExpr>(user);
      bool access = isa<LoadInst>(user) || isa<StoreInst>(user) || isa<GetElementPtrInst>(user);
      if (part != nullptr ? !OnlyAccessed(*part) : !access) return false;
    }
    return true;
  }

  bool OnlyPlaceOf(const Place& wanted) {
    // Pointers of generated threads lead to scalars only; calls may access an array.
    if (!OnlyAccessed(*wanted.global)) return false;
    for (Instruction& i : instructions(function_)) {
      auto* access = dyn_cast<GetElementPtrInst>(&i);
      if (access != nullptr && access->getPointerOperand() == wanted.global) return false;
      std::optional<Place> place = PlaceOf(i);
      if (place && place->global == wanted.global && place->offset != wanted.offset) return false;
    }
    return true;
  }

  bool ElidedLock() {
    for (BasicBlock* block : always_) {
      for (Instruction& lock : *block) {
        if (SyncOf(lock) != Sync::kLock) continue;
        for (Instruction* i = lock.getNextNode(); i != nullptr; i = i->getNextNode()) {
          if (SyncOf(*i) != Sync::kUnlock || i->getOperand(0) != lock.getOperand(0)) continue;
          i->replaceAllUsesWith(PoisonValue::get(i->getType()));
          i->eraseFromParent();
          lock.replaceAllUsesWith(PoisonValue::get(lock.getType()));
          lock.eraseFromParent();
          return true;
        }
      }
    }
    return false;
  }

  bool SwappedLocks() {
    for (BasicBlock* block : always_) {
      Instruction* before = nullptr;
      for (Instruction& i : *block) {
        if (SyncOf(i) == Sync::kNone) continue;
        bool lock = SyncOf(i) == Sync::kLock;
        if (lock && before != nullptr && before->getOperand(0) != i.getOperand(0)) {
          Value* first = before->getOperand(0);
          before->setOperand(0, i.getOperand(0));
          i.setOperand(0, first);
          return true;
        }
        before = lock ? &i : nullptr;
      }
    }
    return false;
  }

  // Roach motel: a store behind an unlock moves before it.
  bool IntoSection() {
    for (BasicBlock* block : always_) {
      for (Instruction& unlock : *block) {
        if (SyncOf(unlock) != Sync::kUnlock) continue;
        for (Instruction* i = unlock.getNextNode(); i != nullptr && SyncOf(*i) == Sync::kNone; i = i->getNextNode()) {
          auto* store = dyn_cast<StoreInst>(i);
          if (store == nullptr || !PlaceOf(*i) || !isa<Constant>(store->getValueOperand())) continue;
          bool first = true;
          for (Instruction* k = unlock.getNextNode(); k != i; k = k->getNextNode()) {
            first = first && !MayTouch(*k, PlaceOf(*i)->global);
          }
          if (!first) continue;
          i->moveBefore(&unlock);
          return true;
        }
      }
    }
    return false;
  }

  // An extra store just before a store to the same place; the other build, which has it not, is the compiled one.
  bool DeadStore() {
    for (BasicBlock* block : always_) {
      for (Instruction& i : *block) {
        auto* store = dyn_cast<StoreInst>(&i);
        if (store == nullptr || !PlaceOf(i)) continue;
        auto* early = cast<StoreInst>(store->clone());
        early->setOperand(0, ConstantInt::get(store->getValueOperand()->getType(), 77));
        early->insertBefore(store);
        return true;
      }
    }
    return false;
  }

  Function& function_;
  DominatorTree dominators_;
  PostDominatorTree posts_;
  std::vector<BasicBlock*> always_;
};

struct PlantPass : PassInfoMixin<PlantPass> {
  static PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    const char* what = std::getenv("REFINE_MUTATION");
    const char* list = std::getenv("REFINE_MUTATED");
    if (what == nullptr || list == nullptr) return PreservedAnalyses::all();
    std::error_code failure;
    raw_fd_ostream out(list, failure, sys::fs::OF_Append);
    for (Function& function : module) {
      if (function.isDeclaration() || !function.getName().starts_with("thread_")) continue;
      if (Planter(function).Plant(what)) out << function.getName() << "\n";
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "refine_plant", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& passes, OptimizationLevel) { passes.addPass(PlantPass()); });
          }};
}
