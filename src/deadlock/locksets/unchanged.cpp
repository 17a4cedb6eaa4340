#include "deadlock/locksets/unchanged.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "deadlock/races/library_uses.h"

namespace heddle::deadlock {

using llvm::CallBase;
using llvm::dyn_cast;
using llvm::Function;

namespace {

constexpr int64_t kHandleBytes = 8;
constexpr int64_t kLockBytes = 64;  // no lock, condition variable or attribute of POSIX is larger

bool IsConstant(const llvm::Value* address) {
  const llvm::Value* base = llvm::getUnderlyingObject(address, 0);
  const auto* global = dyn_cast<llvm::GlobalVariable>(base);
  return llvm::isa<llvm::ConstantData>(base) || (global != nullptr && global->isConstant());
}

// Whether the number decides about a branch, as far as its casts and sums go.
bool Decides(const llvm::Value& number, int depth = 3) {
  for (const llvm::User* user : number.users()) {
    if (llvm::isa<llvm::ICmpInst>(user)) return true;
    bool passes = llvm::isa<llvm::CastInst>(user) || llvm::isa<llvm::BinaryOperator>(user);
    if (passes && depth > 0 && Decides(*user, depth - 1)) return true;
  }
  return false;
}

// What a lock operation, a create or a join writes; false for other functions.
bool WritesOfPrimitive(const Primitive& primitive, std::vector<std::pair<int, int64_t>>* arguments) {
  switch (primitive.action) {
    case Action::kLock:
    case Action::kTryLock:
    case Action::kTimedLock:
    case Action::kUnlock:
    case Action::kSemWait:
    case Action::kSemTry:
    case Action::kSemPost:
    case Action::kLockInit:
    case Action::kAttrKind:
      arguments->emplace_back(primitive.lock, kLockBytes);
      return true;
    case Action::kCondWait:
      arguments->emplace_back(0, kLockBytes);
      arguments->emplace_back(1, kLockBytes);
      return true;
    case Action::kCreate:
      arguments->emplace_back(primitive.handle, kHandleBytes);
      return true;
    case Action::kJoin:
      arguments->emplace_back(1, kHandleBytes);
      return true;
    default:
      return false;
  }
}

}  // namespace

Unchanged::Unchanged(llvm::Module& module, const Facts& facts)
    : module_(module),
      facts_(facts),
      library_info_(llvm::Triple(module.getTargetTriple())),
      library_(library_info_),
      aliases_(library_) {
  aliases_.addAAResult(types_);
}

void Unchanged::Reach(const Function& from, Functions* reached) const {
  std::vector<const Function*> work = {&from};
  while (!work.empty()) {
    const Function* function = work.back();
    work.pop_back();
    if (!reached->insert(function).second) continue;
    for (const llvm::Instruction& at : llvm::instructions(*function)) {
      const auto* call = dyn_cast<CallBase>(&at);
      if (call == nullptr || call->isInlineAsm()) continue;
      const CallMeaning& meaning = facts_.Meaning(*call);
      work.insert(work.end(), meaning.callees.begin(), meaning.callees.end());
      work.insert(work.end(), meaning.callbacks.begin(), meaning.callbacks.end());
    }
  }
}

const Unchanged::Functions& Unchanged::During(const Function& function) {
  auto [place, fresh] = during_.try_emplace(&function);
  Functions& during = place->second;
  if (!fresh) return during;
  // Other threads, and what comes from outside at any time.
  for (const Function& other : module_) {
    for (const llvm::Instruction& at : llvm::instructions(other)) {
      const auto* call = dyn_cast<CallBase>(&at);
      if (call == nullptr || call->isInlineAsm()) continue;
      for (const Function* start : facts_.Meaning(*call).starts) Reach(*start, &during);
    }
  }
  for (const Function* handler : facts_.points().signal_handlers()) Reach(*handler, &during);
  for (const Function* kept : facts_.points().kept_callbacks()) Reach(*kept, &during);
  // If the function runs in one of these, main is another thread; a library's callers are other threads always.
  if (during.count(&function) != 0 || facts_.entries().size() != 1) {
    for (const Function* entry : facts_.entries()) Reach(*entry, &during);
  }
  for (const llvm::Instruction& at : llvm::instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&at);
    if (call == nullptr || call->isInlineAsm()) continue;
    for (const Function* callee : facts_.Meaning(*call).callees) Reach(*callee, &during);
    for (const Function* back : facts_.Meaning(*call).callbacks) Reach(*back, &during);
  }
  return during;
}

std::vector<Unchanged::Written> Unchanged::WritesOf(const llvm::Instruction& at) const {
  const llvm::DataLayout& layout = module_.getDataLayout();
  auto size = [&layout](llvm::Type* type) {
    llvm::TypeSize bytes = layout.getTypeStoreSize(type);
    return bytes.isScalable() ? Locations::kUnbounded : static_cast<int64_t>(bytes.getFixedValue());
  };
  if (const auto* store = dyn_cast<llvm::StoreInst>(&at))
    return {{store->getPointerOperand(), size(store->getValueOperand()->getType())}};
  if (const auto* change = dyn_cast<llvm::AtomicRMWInst>(&at))
    return {{change->getPointerOperand(), size(change->getType())}};
  if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&at))
    return {{exchange->getPointerOperand(), size(exchange->getNewValOperand()->getType())}};
  if (const auto* fill = dyn_cast<llvm::MemIntrinsic>(&at)) {
    const auto* length = dyn_cast<llvm::ConstantInt>(fill->getLength());
    return {{fill->getRawDest(), length == nullptr ? Locations::kUnbounded : length->getSExtValue()}};
  }
  const auto* call = dyn_cast<CallBase>(&at);
  if (call == nullptr || call->onlyReadsMemory() || llvm::isa<llvm::IntrinsicInst>(call)) return {};
  std::vector<Written> writes;
  if (call->isInlineAsm()) {
    for (const llvm::Value* argument : call->args()) {
      if (argument->getType()->isPointerTy()) writes.push_back({argument, Locations::kUnbounded});
    }
    return writes;
  }
  for (const Function* callee : facts_.points().Callees(*call)) {
    if (!callee->isDeclaration() && facts_.primitives().Find(callee->getName().str()) == nullptr) continue;
    const Primitive* primitive = facts_.primitives().Find(callee->getName().str());
    std::vector<std::pair<int, int64_t>> arguments;
    if (primitive != nullptr && WritesOfPrimitive(*primitive, &arguments)) {
      for (const auto& [number, bytes] : arguments) {
        bool there = number >= 0 && static_cast<unsigned>(number) < call->arg_size();
        const llvm::Value* address = there ? call->getArgOperand(static_cast<unsigned>(number)) : nullptr;
        if (there && address->getType()->isPointerTy()) writes.push_back({address, bytes});
      }
      continue;
    }
    if (KnowsUsesOf(*callee)) {
      for (const LibraryAccess& access : LibraryUses(*call)) {
        if (access.writes) writes.push_back({call->getArgOperand(access.argument), access.bytes});
      }
      continue;
    }
    for (const llvm::Use& argument : call->args()) {
      bool reads = call->onlyReadsMemory(call->getArgOperandNo(&argument));
      if (!reads && argument->getType()->isPointerTy()) writes.push_back({argument.get(), Locations::kUnbounded});
    }
  }
  return writes;
}

bool Unchanged::Meet(const llvm::Value* address, int64_t bytes, const LocSet& where, int64_t width) {
  const Locations& locations = facts_.points().locations();
  for (LocId a : facts_.points().Of(address)) {
    for (LocId b : where) {
      const Loc &written = locations.loc(a), &read = locations.loc(b);
      bool many = !locations.object_of(a).members.empty() || !locations.object_of(b).members.empty();
      if (many && locations.Overlap(a, b)) return true;
      if (written.object != read.object) continue;
      if (written.stride != 0 || read.stride != 0) return true;
      if (written.offset < read.offset + width && read.offset - written.offset < bytes) return true;
    }
  }
  return false;
}

bool Unchanged::MayWrite(const llvm::Instruction& at, const llvm::LoadInst& variable) {
  PointsTo& points = facts_.points();
  const LocSet& where = points.Of(variable.getPointerOperand());
  auto width = static_cast<int64_t>(module_.getDataLayout().getTypeStoreSize(variable.getType()).getFixedValue());
  const auto* store = dyn_cast<llvm::StoreInst>(&at);
  if (store != nullptr && aliases_.isNoAlias(llvm::MemoryLocation::get(store), llvm::MemoryLocation::get(&variable)))
    return false;
  const auto* call = dyn_cast<CallBase>(&at);
  if (call != nullptr && points.CallsOutside(*call)) {
    if (where.empty()) return true;
    for (LocId known : points.outside()) {
      for (LocId one : where) {
        if (points.locations().loc(known).object == points.locations().loc(one).object) return true;
      }
    }
  }
  // What may be the same address is left in or left out together: the cut unites what flows into each other.
  const bool left_in = points.Followed(variable.getPointerOperand());
  const auto* own = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(variable.getPointerOperand(), 0));
  for (const Written& written : WritesOf(at)) {
    if (IsConstant(written.address) || points.Followed(written.address) != left_in) continue;
    const auto* other = dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(written.address, 0));
    if (own != nullptr && other != nullptr && own != other) continue;
    if (!left_in || where.empty() || Meet(written.address, written.bytes, where, width)) return true;
  }
  return false;
}

bool Unchanged::Changes(const llvm::LoadInst& first) {
  const Function& function = *first.getFunction();
  for (const llvm::Instruction& at : llvm::instructions(function)) {
    if (at.mayWriteToMemory() && MayWrite(at, first) && llvm::isPotentiallyReachable(&first, &at)) return true;
  }
  for (const Function* other : During(function)) {
    for (const llvm::Instruction& at : llvm::instructions(*other)) {
      if (at.mayWriteToMemory() && MayWrite(at, first)) return true;
    }
  }
  return false;
}

void Unchanged::UniteLoads(Function& function) {
  if (facts_.points().stats().gave_up) return;
  std::map<std::pair<const llvm::Value*, const llvm::Type*>, std::vector<llvm::LoadInst*>> groups;
  std::vector<std::pair<const llvm::Value*, const llvm::Type*>> order;
  for (llvm::Instruction& at : llvm::instructions(function)) {
    auto* load = dyn_cast<llvm::LoadInst>(&at);
    if (load == nullptr || !load->isSimple() || !load->getType()->isIntegerTy() || !Decides(*load)) continue;
    auto& group = groups[{load->getPointerOperand(), load->getType()}];
    if (group.empty()) order.emplace_back(load->getPointerOperand(), load->getType());
    group.push_back(load);
  }
  llvm::DominatorTree dominators(function);
  for (const auto& key : order) {
    const std::vector<llvm::LoadInst*>& group = groups[key];
    for (llvm::LoadInst* first : group) {
      auto later = [&](const llvm::LoadInst* load) { return load != first && dominators.dominates(first, load); };
      if (first->use_empty() || std::none_of(group.begin(), group.end(), later) || Changes(*first)) continue;
      for (llvm::LoadInst* load : group) {
        if (later(load)) load->replaceAllUsesWith(first);
      }
    }
  }
}

bool Unchanged::StoredDuring(const Function& function, const LocSet& where) {
  for (const Function* other : During(function)) {
    for (const llvm::Instruction& at : llvm::instructions(*other)) {
      if (!at.mayWriteToMemory()) continue;
      for (const Written& written : WritesOf(at)) {
        if (Meet(written.address, written.bytes, where, kHandleBytes)) return true;
      }
    }
  }
  return false;
}

}  // namespace heddle::deadlock
