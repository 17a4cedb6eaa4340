#include "deadlock/locksets/handoffs.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "deadlock/input/handoff_code.h"
#include "deadlock/input/handoff_names.h"
#include "deadlock/races/accesses.h"
#include "deadlock/races/races.h"

namespace heddle::deadlock {
namespace {

using llvm::dyn_cast;

constexpr size_t kMaxFlags = 64;  // every state of every thread has one entry for each

bool IsResult(llvm::StringRef name) { return name.starts_with("_ZNSt13__future_base"); }

std::optional<int64_t> NumberOf(const llvm::CallBase& call, int argument) {
  if (argument < 0 || static_cast<unsigned>(argument) >= call.arg_size()) return std::nullopt;
  const auto* number = dyn_cast<llvm::ConstantInt>(call.getArgOperand(static_cast<unsigned>(argument)));
  if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
  return number->getSExtValue();
}

// The only value in memory that the condition depends on, by casts, comparisons and masks with numbers.
const llvm::LoadInst* LoadOf(const llvm::Value* value) {
  while (true) {
    if (const auto* load = dyn_cast<llvm::LoadInst>(value)) return load;
    const auto* user = dyn_cast<llvm::Instruction>(value);
    bool one = user != nullptr && (llvm::isa<llvm::ZExtInst>(user) || llvm::isa<llvm::SExtInst>(user) ||
                                   llvm::isa<llvm::TruncInst>(user) || llvm::isa<llvm::FreezeInst>(user));
    bool with_number = user != nullptr && (llvm::isa<llvm::ICmpInst>(user) || llvm::isa<llvm::BinaryOperator>(user)) &&
                       llvm::isa<llvm::ConstantInt>(user->getOperand(1));
    if (!one && !with_number) return nullptr;
    value = user->getOperand(0);
  }
}

// The value if the load has read `read`; the condition is one that LoadOf understands.
llvm::Constant* Folded(const llvm::Value* value, llvm::Constant* read, const llvm::DataLayout& layout) {
  if (llvm::isa<llvm::LoadInst>(value)) return read;
  const auto* user = llvm::cast<llvm::Instruction>(value);
  llvm::Constant* inner = Folded(user->getOperand(0), read, layout);
  if (inner == nullptr || llvm::isa<llvm::FreezeInst>(user)) return inner;
  if (const auto* cast = dyn_cast<llvm::CastInst>(user))
    return llvm::ConstantFoldCastOperand(cast->getOpcode(), inner, cast->getType(), layout);
  auto* number = llvm::cast<llvm::Constant>(user->getOperand(1));
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(user))
    return llvm::ConstantFoldCompareInstOperands(compare->getPredicate(), inner, number, layout);
  return llvm::ConstantFoldBinaryOpOperands(user->getOpcode(), inner, number, layout);
}

}  // namespace

Handoffs::Handoffs(const llvm::Module& module, const Facts& facts, const Touched& touched)
    : facts_(facts), touched_(touched) {
  FindNamed(module);
  FindFlags(module);
  FindWrites(module);
  for (auto& [loc, handoff] : all_) std::sort(handoff.plain.begin(), handoff.plain.end());
  // What a release may mean is known now; one that may mean anything means everything.
  for (auto event = events_.begin(); event != events_.end();) {
    HandoffStep step = event->second.step;
    if (step == HandoffStep::kRelease || step == HandoffStep::kMeet || step == HandoffStep::kGive) {
      const LocSet& set = facts_.points().Of(event->second.variable);
      for (const auto& [loc, handoff] : all_) {
        bool meant = set.empty() || std::any_of(set.begin(), set.end(), [&, token = loc](LocId one) {
                       return facts_.points().locations().Overlap(one, token);
                     });
        if (meant) event->second.tokens.push_back(loc);
      }
    }
    for (LocId token : event->second.tokens) all_[token].releases.push_back(event->first);
    ++event;
  }
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& at : block) {
        if (events_.count(&at) != 0) in_[&block].push_back(&at);
      }
    }
  }
}

const std::vector<const llvm::Instruction*>& Handoffs::In(const llvm::BasicBlock* block) const {
  static const std::vector<const llvm::Instruction*> kNone;
  auto found = in_.find(block);
  return found == in_.end() ? kNone : found->second;
}

// The one variable that it is the address of; kNoLoc: there may be several.
LocId Handoffs::Only(const llvm::Value* address) const {
  const LocSet& set = facts_.points().Of(address);
  if (set.size() != 1 || !facts_.Single(set[0])) return kNoLoc;
  return touched_(facts_.points().locations().loc(set[0]).object) ? kNoLoc : set[0];
}

// What a global variable begins with there.
std::optional<int64_t> Handoffs::NumberAt(LocId loc, unsigned bits) const {
  const Locations& locations = facts_.points().locations();
  const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(locations.object_of(loc).site);
  if (global == nullptr || !global->hasDefinitiveInitializer()) return std::nullopt;
  const llvm::DataLayout& layout = global->getParent()->getDataLayout();
  llvm::Type* type = llvm::IntegerType::get(global->getContext(), bits);
  auto* initial = const_cast<llvm::Constant*>(global->getInitializer());  // only read
  llvm::APInt offset(64, static_cast<uint64_t>(locations.loc(loc).offset), true);
  const auto* number =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::ConstantFoldLoadFromConst(initial, type, offset, layout));
  return number == nullptr ? std::nullopt : std::optional(number->getSExtValue());
}

// What a local counter begins with: the only plain store there.
std::optional<int64_t> Handoffs::MadeWith(const llvm::Module& module, LocId loc) const {
  const Locations& locations = facts_.points().locations();
  if (locations.object_of(loc).kind == ObjectKind::kGlobal) return std::nullopt;
  const llvm::StoreInst* only = nullptr;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      const auto* store = dyn_cast<llvm::StoreInst>(&at);
      if (store == nullptr || store->isAtomic() || facts_.points().Of(store->getPointerOperand()) != LocSet{loc})
        continue;
      if (only != nullptr || !facts_.HappensOnce(at)) return std::nullopt;
      only = store;
    }
  }
  const auto* number = only == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(only->getValueOperand());
  return number == nullptr ? std::nullopt : std::optional(number->getSExtValue());
}

// Semaphores, latches, barriers and results: by the names of the functions that use them.
void Handoffs::FindNamed(const llvm::Module& module) {
  struct Variable {
    HandoffKind kind;
    std::set<int64_t> counts;
    bool result = false, spoilt = false;
  };
  std::map<LocId, Variable> variables;
  std::vector<const llvm::CallBase*> calls;
  std::vector<const llvm::Value*> unclear;  // what changes something, nobody knows which
  // A signal makes sem_wait return without having got anything.
  const bool interrupted = !facts_.points().signal_handlers().empty();
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      const auto* call = dyn_cast<llvm::CallBase>(&at);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      std::optional<HandoffOperation> operation =
          callee == nullptr || call->arg_size() == 0 ? std::nullopt : HandoffOperationOf(callee->getName());
      // Inside of these functions the library does what it is for.
      if (!operation || IsHandoffCode(*call)) continue;
      calls.push_back(call);
      LocId loc = Only(call->getArgOperand(0));
      bool plain =
          operation->role == HandoffRole::kAcquire ||
          (operation->role != HandoffRole::kInit && operation->count < 0 && operation->role != HandoffRole::kSpoil);
      if (loc == kNoLoc && !plain) unclear.push_back(call->getArgOperand(0));
      if (loc == kNoLoc) continue;
      Variable& variable = variables.try_emplace(loc, Variable{operation->kind, {}}).first->second;
      variable.result |= IsResult(callee->getName());
      variable.spoilt |= variable.kind != operation->kind || operation->role == HandoffRole::kSpoil;
      std::optional<int64_t> number = NumberOf(*call, operation->count);
      if (operation->role == HandoffRole::kInit) {
        variable.spoilt |= !number;
        if (number) variable.counts.insert(*number);
        bool shared = callee->getName() == "sem_init" && NumberOf(*call, 1) != 0;
        bool other = callee->getName() == "pthread_barrier_init" &&
                     !llvm::isa<llvm::ConstantPointerNull>(call->getArgOperand(1));
        variable.spoilt |= shared || other;
      } else if (operation->count >= 0) {
        variable.spoilt |= number != 1;
      }
    }
  }
  for (const llvm::Value* address : unclear) {
    for (LocId one : facts_.points().Of(address)) {
      for (auto& [loc, variable] : variables) variable.spoilt |= facts_.points().locations().Overlap(one, loc);
    }
  }
  for (auto& [loc, variable] : variables) {
    if (variable.counts.empty() && !variable.result) {
      std::optional<int64_t> number = NumberAt(loc, 32);
      if (number && *number != 0) variable.counts.insert(*number);
      if (number == 0 && variable.kind == HandoffKind::kAny) variable.counts.insert(0);
    }
    if (variable.result) variable.counts = {0};
    if (variable.kind == HandoffKind::kAll && variable.counts.empty()) {
      if (std::optional<int64_t> number = MadeWith(module, loc)) variable.counts.insert(*number);
    }
    if (variable.spoilt || variable.counts.size() != 1) continue;
    Handoff handoff;
    handoff.kind = variable.kind;
    handoff.count = *variable.counts.begin();
    if (handoff.kind == HandoffKind::kAny && handoff.count == 1) handoff.kind = HandoffKind::kLock;
    bool useful = handoff.kind == HandoffKind::kAny ? handoff.count == 0 : handoff.count > 0;
    if (useful) all_.emplace(loc, handoff);
    if (useful && handoff.kind == HandoffKind::kAll) {
      all_[loc].initial = handoff.count;
      flags_[loc] = 4;
    }
  }
  for (const llvm::CallBase* call : calls) {
    HandoffOperation operation = *HandoffOperationOf(call->getCalledFunction()->getName());
    const llvm::Value* variable = call->getArgOperand(0);
    auto known = all_.find(Only(variable));
    bool lock = known != all_.end() && known->second.kind == HandoffKind::kLock;
    bool semaphore = call->getCalledFunction()->getName() == "sem_wait";
    if (operation.role == HandoffRole::kRelease) {
      events_[call] = {lock ? HandoffStep::kGive : HandoffStep::kRelease, variable, {}};
    } else if (operation.role == HandoffRole::kMeet) {
      events_[call] = {HandoffStep::kMeet, variable, {}};
    } else if (operation.role == HandoffRole::kAcquire && known != all_.end() && !(semaphore && interrupted)) {
      events_[call] = {lock ? HandoffStep::kTake : HandoffStep::kAcquire, variable, {}};
    }
  }
}

// Variables on whose value a branch depends.
void Handoffs::FindFlags(const llvm::Module& module) {
  std::set<LocId> spoilt;
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      const auto* branch = llvm::dyn_cast_or_null<llvm::BranchInst>(block.getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      const llvm::LoadInst* load = LoadOf(branch->getCondition());
      if (load == nullptr || !load->getType()->isIntegerTy() || load->getType()->getIntegerBitWidth() > 64) continue;
      if (load->isAtomic() && !llvm::isAcquireOrStronger(load->getOrdering())) continue;
      LocId loc = Only(load->getPointerOperand());
      if (loc == kNoLoc || all_.count(loc) != 0) continue;
      auto bytes = static_cast<int64_t>(module.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue());
      unsigned bits = load->getType()->getIntegerBitWidth();
      flags_.emplace(loc, bytes);
      if (bits_.emplace(loc, bits).first->second != bits) spoilt.insert(loc);
      seen_[load] = loc;
    }
  }
  for (auto flag = flags_.begin(); flag != flags_.end();) {
    LocId loc = flag->first;
    bool global = facts_.points().locations().object_of(loc).kind == ObjectKind::kGlobal;
    std::optional<int64_t> initial = global ? NumberAt(loc, bits_[loc]) : 0;
    if (all_.count(loc) != 0) {
      ++flag;
      continue;
    }
    if (!initial || spoilt.count(loc) != 0 || all_.size() >= kMaxFlags) {
      flag = flags_.erase(flag);
      continue;
    }
    all_[loc].initial = *initial;
    ++flag;
  }
  std::erase_if(seen_, [&](const auto& one) { return flags_.count(one.second) == 0; });
}

// All writes to the flags: those of another value than the first are releases. A flag with a write that orders nothing
// is none.
void Handoffs::FindWrites(const llvm::Module& module) {
  const Locations& locations = facts_.points().locations();
  std::map<ObjectId, std::vector<LocId>> by_object;
  for (const auto& [loc, bytes] : flags_) by_object[locations.loc(loc).object].push_back(loc);
  std::set<LocId> spoilt, written;
  auto write = [&](const llvm::Instruction& at, const MemoryUse& use, LocId flag) {
    const auto* store = dyn_cast<llvm::StoreInst>(&at);
    const auto* change = dyn_cast<llvm::AtomicRMWInst>(&at);
    const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&at);
    const auto* number = store == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(store->getValueOperand());
    bool exact = facts_.points().Of(use.pointer) == LocSet{flag} && use.bytes == flags_[flag];
    if (exact && number != nullptr && number->getSExtValue() == all_[flag].initial) return;
    const auto* set = dyn_cast<llvm::MemSetInst>(&at);
    const auto* call = dyn_cast<llvm::CallBase>(&at);
    const auto* with = set == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(set->getValue());
    if (with != nullptr && with->isZero() && all_[flag].initial == 0) return;
    bool ends =
        call != nullptr && call->getCalledFunction() != nullptr &&
        (call->getCalledFunction()->getName() == "free" || call->getCalledFunction()->getName().starts_with("_ZdlPv"));
    if (ends || (call != nullptr && call->getCalledFunction() != nullptr &&
                 call->getCalledFunction()->getName() == "calloc" && all_[flag].initial == 0))
      return;
    bool orders = (store != nullptr && (!store->isAtomic() || llvm::isReleaseOrStronger(store->getOrdering()))) ||
                  (change != nullptr && llvm::isReleaseOrStronger(change->getOrdering())) ||
                  (exchange != nullptr && llvm::isReleaseOrStronger(exchange->getSuccessOrdering()));
    if (all_[flag].kind == HandoffKind::kAll) {
      const auto* by = change == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(change->getValOperand());
      orders &= exact && by != nullptr && change->getOperation() == llvm::AtomicRMWInst::Sub && by->isOne();
    }
    if (!orders) spoilt.insert(flag);
    if (!orders) return;
    if (store != nullptr && !store->isAtomic()) all_[flag].plain.push_back(store);
    events_[&at] = {HandoffStep::kRelease, use.pointer, {}};
    written.insert(flag);
  };
  for (const llvm::Function& function : module) {
    // The library's waiting writes counters of its own, never what is waited for.
    if (function.getName().contains("St8__detail13__waiter_base") ||
        function.getName().contains("St8__detail8__waiterI"))
      continue;
    for (const llvm::Instruction& at : llvm::instructions(function)) {
      if (!at.mayWriteToMemory()) continue;
      for (const MemoryUse& use : UsesOf(at)) {
        if (!use.writes) continue;
        for (LocId target : facts_.points().Of(use.pointer)) {
          std::vector<LocId> members = locations.object_of(target).members;
          if (members.empty()) members.push_back(target);
          for (LocId loc : members) {
            auto found = by_object.find(locations.loc(loc).object);
            if (found == by_object.end()) continue;
            for (LocId flag : found->second) {
              if (CanTouch(locations.loc(loc), use.bytes, locations.loc(flag), flags_[flag])) write(at, use, flag);
            }
          }
        }
      }
    }
  }
  for (const auto& [load, loc] : seen_) {
    if (!load->isAtomic()) all_[loc].plain.push_back(load);
  }
  // A flag that nobody sets says nothing.
  for (const auto& [loc, bytes] : flags_) {
    if (spoilt.count(loc) != 0 || written.count(loc) == 0) all_.erase(loc);
  }
  std::erase_if(seen_, [&](const auto& one) { return all_.count(one.second) == 0; });
}

LocId Handoffs::SeenOn(const llvm::Value& condition, bool outcome) const {
  const llvm::LoadInst* load = LoadOf(&condition);
  auto found = load == nullptr ? seen_.end() : seen_.find(load);
  if (found == seen_.end()) return kNoLoc;
  llvm::Constant* initial = llvm::ConstantInt::getSigned(load->getType(), all_.at(found->second).initial);
  const auto* then =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(Folded(&condition, initial, load->getModule()->getDataLayout()));
  return then != nullptr && then->isOne() != outcome ? found->second : kNoLoc;
}

}  // namespace heddle::deadlock
