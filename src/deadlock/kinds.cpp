// Kinds of mutexes and relevant parameters: the rest of facts.h.
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "deadlock/facts.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

namespace {

constexpr int64_t kKindOffset = 16;  // of __kind in glibc's pthread_mutex_t

void AddKind(int64_t number, LockKinds* kinds) {
  if (number == 1)
    kinds->recursive = true;
  else if (number == 2)
    kinds->errorcheck = true;
  else
    kinds->normal = true;
}

}  // namespace

void Facts::KindsOfCall(const CallBase& call) {
  for (Function* callee : points_.Callees(call)) {
    const Primitive* primitive = primitives_.Find(callee->getName().str());
    if (primitive == nullptr) continue;
    if (primitive->action == Action::kAttrKind && call.arg_size() > 1) {
      const auto* number = dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
      bool c11 = callee->getName().starts_with("mtx_");
      for (LocId loc : points_.Of(call.getArgOperand(0))) {
        LockKinds& kinds = (c11 ? kinds_ : attributes_)[loc];
        if (number == nullptr)
          kinds = {true, true, true};
        else
          AddKind(c11 ? number->getSExtValue() & 1 : number->getSExtValue(), &kinds);
      }
    }
    if (primitive->recursive) {
      for (LocId loc : points_.Of(call.getArgOperand(static_cast<unsigned>(primitive->lock))))
        kinds_[loc].recursive = true;
    }
  }
}

// A kind that is written into the memory of a mutex: static initialisers of objects that are not global.
void Facts::KindsOfStore(const llvm::Instruction& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (store == nullptr) return;
  const auto* number = dyn_cast<llvm::ConstantInt>(store->getValueOperand());
  if (number == nullptr || number->getBitWidth() > 64) return;
  int64_t value = number->getSExtValue();
  if (value != 1 && value != 2) return;
  for (LocId loc : points_.Of(store->getPointerOperand())) {
    LocId mutex = points_.locations().Shift(loc, -kKindOffset);
    if (mutex != kNoLoc && !points_.locations().IsProgression(loc)) AddKind(value, &kinds_[mutex]);
  }
}

void Facts::FindKinds() {
  only_c_ = !module_.debug_compile_units().empty();
  for (const llvm::DICompileUnit* unit : module_.debug_compile_units()) {
    only_c_ &= !llvm::dwarf::isCPlusPlus(static_cast<llvm::dwarf::SourceLanguage>(unit->getSourceLanguage()));
  }
  std::vector<const CallBase*> initialisations;
  for (Function& function : module_) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      KindsOfStore(instruction);
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr) continue;
      KindsOfCall(*call);
      for (Function* callee : points_.Callees(*call)) {
        const Primitive* primitive = primitives_.Find(callee->getName().str());
        if (primitive != nullptr && primitive->action == Action::kLockInit && call->arg_size() > 1)
          initialisations.push_back(call);
      }
    }
  }
  for (const CallBase* call : initialisations) {
    LockKinds kinds;
    bool null = llvm::isa<llvm::ConstantPointerNull>(call->getArgOperand(1));
    for (LocId attribute : points_.Of(call->getArgOperand(1))) {
      auto found = attributes_.find(attribute);
      LockKinds more = found == attributes_.end() ? LockKinds{true, false, false} : found->second;
      kinds.normal |= more.normal;
      kinds.recursive |= more.recursive;
      kinds.errorcheck |= more.errorcheck;
    }
    if (null || (!kinds.recursive && !kinds.errorcheck)) kinds.normal = true;
    for (LocId loc : points_.Of(call->getArgOperand(0))) {
      initialised_[points_.locations().loc(loc).object].push_back(loc);
      kinds_[loc].normal |= kinds.normal;
      kinds_[loc].recursive |= kinds.recursive;
      kinds_[loc].errorcheck |= kinds.errorcheck;
    }
  }
  for (auto& [object, locs] : initialised_) {
    std::sort(locs.begin(), locs.end());
    locs.erase(std::unique(locs.begin(), locs.end()), locs.end());
  }
}

LockKinds Facts::Kinds(LocId loc) const {
  auto known = kinds_of_.find(loc);
  if (known != kinds_of_.end()) return known->second;
  return kinds_of_[loc] = FindKindsOf(loc);
}

LockKinds Facts::FindKindsOf(LocId loc) const {
  LockKinds kinds;
  for (const auto& [known, more] : kinds_) {
    if (!points_.locations().Overlap(known, loc)) continue;
    kinds.normal |= more.normal;
    kinds.recursive |= more.recursive;
    kinds.errorcheck |= more.errorcheck;
  }
  const Object& object = points_.locations().object_of(loc);
  const auto* global = object.site == nullptr ? nullptr : dyn_cast<llvm::GlobalVariable>(object.site);
  if (global != nullptr && global->hasInitializer() && !points_.locations().IsProgression(loc) && !kinds.normal &&
      !kinds.recursive) {
    llvm::APInt at(64, static_cast<uint64_t>(points_.locations().loc(loc).offset + kKindOffset));
    auto* initialiser = const_cast<llvm::Constant*>(global->getInitializer());
    llvm::Type* number = llvm::Type::getInt32Ty(module_.getContext());
    llvm::Constant* folded = llvm::ConstantFoldLoadFromConst(initialiser, number, at, module_.getDataLayout());
    const auto* value = llvm::dyn_cast_or_null<llvm::ConstantInt>(folded);
    if (value != nullptr) AddKind(value->getSExtValue(), &kinds);
  }
  if (!kinds.recursive && !kinds.errorcheck) kinds.normal = true;
  return kinds;
}

LocSet Facts::WithoutStrangers(LocSet set, const CallBase& call) const {
  constexpr size_t kLarge = 16;
  const Function* function = call.getCalledFunction();
  bool mutex = function != nullptr && function->getName().starts_with("pthread_mutex_");
  if (!only_c_ || !mutex || set.size() <= kLarge) return set;
  const Locations& locations = points_.locations();
  LocSet known;
  for (LocId loc : set) {
    bool declared = locations.object_of(loc).type != nullptr;
    auto found = initialised_.find(locations.loc(loc).object);
    if (found != initialised_.end() && !declared && locations.loc(loc).stride == 1) {
      // Somewhere in the object: where its mutexes are.
      known.insert(known.end(), found->second.begin(), found->second.end());
      continue;
    }
    bool made = found != initialised_.end() && std::any_of(found->second.begin(), found->second.end(),
                                                           [&](LocId other) { return locations.Overlap(loc, other); });
    if (declared || made) known.push_back(loc);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known.empty() ? set : known;
}

bool Facts::CanBeLock(LocId id, const CallBase& call) const {
  const Function* function = call.getCalledFunction();
  llvm::StringRef name = function == nullptr ? "" : function->getName();
  bool mutex = name.starts_with("pthread_mutex_"), rwlock = name.starts_with("pthread_rwlock_");
  if (!mutex && !rwlock) return true;
  const Loc& loc = points_.locations().loc(id);
  const Object& object = points_.locations().object(loc.object);
  int64_t bytes = mutex ? 40 : 56;
  if (object.size != 0 && loc.stride == 0 && loc.offset + bytes > object.size) return false;
  if (object.type == nullptr || loc.stride == 1) return true;
  // Walk to the types that begin at the offset.
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::Type* type = object.type;
  int64_t rest = loc.offset;
  while (true) {
    if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
      auto element = static_cast<int64_t>(layout.getTypeAllocSize(array->getElementType()));
      if (element == 0) return false;
      rest %= element;
      type = array->getElementType();
      continue;
    }
    auto* record = dyn_cast<llvm::StructType>(type);
    // Memory without a declared structure (a buffer) may hold anything.
    if (record == nullptr) return type->isIntegerTy(8);
    llvm::StringRef record_name = record->hasName() ? record->getName() : "";
    if (rest == 0 && record_name.contains(mutex ? "mutex" : "rwlock")) return true;
    const llvm::StructLayout* fields = layout.getStructLayout(record);
    if (record->getNumElements() == 0 || static_cast<uint64_t>(rest) >= fields->getSizeInBytes()) return false;
    unsigned field = fields->getElementContainingOffset(static_cast<uint64_t>(rest));
    rest -= static_cast<int64_t>(fields->getElementOffset(field));
    type = record->getElementType(field);
  }
}

void Facts::TraceBack(const llvm::Value* value, std::unordered_set<const llvm::Value*>* seen,
                      std::set<unsigned>* parameters) const {
  std::vector<const llvm::Value*> work = {value};
  while (!work.empty()) {
    const llvm::Value* at = work.back();
    work.pop_back();
    if (!seen->insert(at).second) continue;
    if (const auto* argument = dyn_cast<llvm::Argument>(at)) {
      parameters->insert(argument->getArgNo());
    } else if (const auto* gep = dyn_cast<llvm::GEPOperator>(at)) {
      work.push_back(gep->getPointerOperand());
    } else if (const auto* load = dyn_cast<llvm::LoadInst>(at)) {
      work.push_back(load->getPointerOperand());
    } else if (const auto* select = dyn_cast<llvm::SelectInst>(at)) {
      work.push_back(select->getTrueValue());
      work.push_back(select->getFalseValue());
    } else if (llvm::isa<llvm::PHINode>(at) || llvm::isa<llvm::CastInst>(at) || llvm::isa<llvm::FreezeInst>(at)) {
      for (const llvm::Value* operand : llvm::cast<llvm::User>(at)->operands()) work.push_back(operand);
    }
  }
}

void Facts::FindRelevantParameters() {
  std::unordered_map<const Function*, std::set<unsigned>> found;
  bool changed = true;
  while (changed) {
    changed = false;
    for (Function& function : module_) {
      if (!Matters(&function)) continue;
      std::set<unsigned>& mine = found[&function];
      size_t before = mine.size();
      std::unordered_set<const llvm::Value*> seen;
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (call == nullptr || !CallMatters(*call)) continue;
        const CallMeaning& meaning = Meaning(*call);
        if (call->getCalledFunction() == nullptr) TraceBack(call->getCalledOperand(), &seen, &mine);
        if (meaning.primitive != nullptr) {
          for (const llvm::Value* argument : call->args()) TraceBack(argument, &seen, &mine);
        }
        for (Function* callee : meaning.callees) {
          for (unsigned number : found[callee]) {
            if (number < call->arg_size()) TraceBack(call->getArgOperand(number), &seen, &mine);
          }
        }
      }
      changed |= mine.size() != before;
    }
  }
  for (auto& [function, set] : found) parameters_[function].assign(set.begin(), set.end());
}

const std::vector<unsigned>& Facts::RelevantParameters(const Function* function) const {
  static const std::vector<unsigned> none;
  auto found = parameters_.find(function);
  return found == parameters_.end() ? none : found->second;
}

}  // namespace heddle::deadlock
