// What operands of locks can be, and relevant parameters: the rest of facts.h.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

#include "deadlock/locksets/facts.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

LocSet Facts::WithoutStrangers(LocSet set, const CallBase& call) const {
  constexpr size_t kLarge = 16;
  const Function* function = call.getCalledFunction();
  bool mutex = function != nullptr && function->getName().starts_with("pthread_mutex_");
  if (!only_c_ || !mutex || set.size() <= kLarge) return set;
  const Locations& locations = points_.locations();
  const auto& initialised = kinds_->initialised();
  LocSet known;
  for (LocId loc : set) {
    bool declared = locations.object_of(loc).type != nullptr;
    auto found = initialised.find(locations.loc(loc).object);
    if (found != initialised.end() && !declared && locations.loc(loc).stride == 1) {
      // Somewhere in the object: where its mutexes are.
      for (LocId made : found->second) {
        if (CanBeLock(made, call)) known.push_back(made);
      }
      continue;
    }
    bool made = found != initialised.end() && std::any_of(found->second.begin(), found->second.end(),
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
  if (!ObjectTypes::AllowsUnion(object.layout, loc)) return false;
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
    // The type of a union is that of one of its members, and an initialised one has no name.
    bool is_lock = record_name.contains(mutex ? "mutex" : "rwlock");
    if (!is_lock && (record_name.empty() || record_name.starts_with("union."))) return true;
    if (rest == 0 && is_lock) return true;
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
        const llvm::Value* accessed = accessed_ ? llvm::getLoadStorePointerOperand(&instruction) : nullptr;
        if (accessed != nullptr) TraceBack(accessed, &seen, &mine);
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
