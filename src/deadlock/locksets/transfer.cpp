#include "deadlock/locksets/transfer.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace heddle::deadlock {

using llvm::dyn_cast;

Symbol SymbolOf(const llvm::Module& module, const llvm::Value* value) {
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(value->getType()), 0);
  const llvm::Value* root = value->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {root, offset.getSExtValue()};
}

std::optional<bool> Tests(const llvm::Value* condition, const llvm::Value* value) {
  if (condition == value) return true;
  if (const auto* freeze = dyn_cast<llvm::FreezeInst>(condition)) return Tests(freeze->getOperand(0), value);
  if (llvm::isa<llvm::ZExtInst>(condition) || llvm::isa<llvm::SExtInst>(condition)) {
    return Tests(llvm::cast<llvm::CastInst>(condition)->getOperand(0), value);
  }
  // A truncated boolean of a function that returns one as a wider number.
  if (const auto* trunc = dyn_cast<llvm::TruncInst>(condition)) {
    bool boolean = trunc->getType()->isIntegerTy(1) && llvm::isa<llvm::ZExtInst>(trunc->getOperand(0));
    if (boolean) return Tests(trunc->getOperand(0), value);
    return std::nullopt;
  }
  if (const auto* compare = dyn_cast<llvm::ICmpInst>(condition)) {
    const auto* zero = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (zero == nullptr || !zero->isZero() || !compare->isEquality()) return std::nullopt;
    std::optional<bool> inner = Tests(compare->getOperand(0), value);
    if (!inner) return std::nullopt;
    return compare->getPredicate() == llvm::ICmpInst::ICMP_NE ? *inner : !*inner;
  }
  if (const auto* operation = dyn_cast<llvm::BinaryOperator>(condition)) {
    const auto* one = dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
    bool flips = operation->getOpcode() == llvm::Instruction::Xor && one != nullptr && one->isOne() &&
                 (operation->getType()->isIntegerTy(1) || llvm::isa<llvm::ZExtInst>(operation->getOperand(0)));
    if (!flips) return std::nullopt;
    std::optional<bool> inner = Tests(operation->getOperand(0), value);
    if (inner) return !*inner;
  }
  return std::nullopt;
}

bool Transfer::IsThread(LocId loc) const {
  return facts_.points().locations().object_of(loc).kind == ObjectKind::kThread;
}

bool Transfer::Recursive(LocId loc) const {
  LockKinds kinds = facts_.Kinds(loc);
  return kinds.recursive && !kinds.normal;
}

bool Transfer::Overlaps(LocId loc, const LocSet& set) const {
  const Locations& locations = facts_.points().locations();
  return std::any_of(set.begin(), set.end(), [&](LocId other) { return locations.Overlap(loc, other); });
}

void Transfer::Acquire(State* state, const LocSet& locks, const Acquired& how) const {
  const Locations& locations = facts_.points().locations();
  bool one = locks.size() == 1 && facts_.Single(locks[0]);
  LockKinds kinds = one ? facts_.Kinds(locks[0]) : LockKinds{};
  if (one && how.mode == Mode::kWrite && !how.is_try && !kinds.recursive && !kinds.errorcheck) {
    // It could be taken, so it was free.
    std::erase_if(state->held, [&](const MayLock& held) { return held.loc == locks[0]; });
  }
  std::vector<MayLock> fresh;
  for (LocId loc : locks) {
    int depth = 1;
    for (const MayLock& held : state->held) {
      if (locations.Overlap(held.loc, loc)) depth = std::max(depth, held.depth + 1);
    }
    MayLock lock;
    lock.loc = loc;
    lock.mode = how.mode;
    lock.depth = static_cast<uint8_t>(std::min<int>(depth, MayLock::kDeep));
    lock.site = how.site;
    lock.order = facts_.OrderOf(*how.site);
    lock.root = how.symbol.root;
    lock.offset = how.symbol.offset;
    lock.pending = how.pending;
    lock.when_nonzero = how.when_nonzero;
    fresh.push_back(lock);
  }
  for (const MayLock& lock : fresh) AddHeld(state, lock);
  if (one && !how.is_try) {
    // A recursive one is there as often as it is surely held, up to kDeep times.
    const MustLock must{locks[0], how.mode};
    auto [begin, end] = std::equal_range(state->must.begin(), state->must.end(), must);
    if (begin == end || (Recursive(locks[0]) && end - begin < MayLock::kDeep)) state->must.insert(begin, must);
  }
  if (state->most < State::kManyHeld) ++state->most;
}

// Which of the candidates are surely released by one unlock; see invariant 3 in docs/deadlock-design.md.
std::vector<size_t> Transfer::Released(const State& state, const std::vector<size_t>& candidates, Symbol symbol) const {
  std::vector<size_t> same;
  uint8_t deepest = 0;
  for (size_t i : candidates) {
    const MayLock& held = state.held[i];
    if (symbol.root == nullptr || held.root != symbol.root || held.offset != symbol.offset) continue;
    same.push_back(i);
    deepest = std::max(deepest, held.depth);
  }
  if (!same.empty()) {
    std::erase_if(same, [&](size_t i) { return state.held[i].depth != deepest || deepest >= MayLock::kDeep; });
    return same;
  }
  const Locations& locations = facts_.points().locations();
  bool shallow = true, one_lock = true, one_site = true;
  for (size_t i : candidates) {
    const MayLock &held = state.held[i], &first = state.held[candidates[0]];
    shallow &= held.depth == 1;
    one_site &= held.site == first.site && held.site != nullptr;
    // Each two of them: a[*] overlaps a[0] and a[1], which are different locks.
    for (size_t j : candidates) one_lock &= locations.Overlap(held.loc, state.held[j].loc);
  }
  if (shallow && (one_lock || one_site)) return candidates;
  return {};
}

void Transfer::Release(State* state, const LocSet& locks, Symbol symbol) const {
  auto again =
      locks.size() == 1 && Recursive(locks[0])
          ? std::adjacent_find(state->must.begin(), state->must.end(),
                               [&](const MustLock& a, const MustLock& b) { return a == b && a.loc == locks[0]; })
          : state->must.end();
  if (again != state->must.end()) {
    state->must.erase(again);  // and held once less
  } else {
    std::erase_if(state->must, [&](const MustLock& must) { return Overlaps(must.loc, locks); });
  }
  std::vector<size_t> candidates;
  for (size_t i = 0; i < state->held.size(); ++i) {
    if (!IsThread(state->held[i].loc) && Overlaps(state->held[i].loc, locks)) candidates.push_back(i);
  }
  if (candidates.empty()) return;
  if (state->most == 1) {
    // Only one lock was held at all, so it is this one.
    std::erase_if(state->held, [&](const MayLock& held) { return !IsThread(held.loc); });
    state->most = 0;
    return;
  }
  std::vector<size_t> released = Released(*state, candidates, symbol);
  for (size_t i = released.size(); i-- > 0;) {
    state->held.erase(state->held.begin() + static_cast<std::ptrdiff_t>(released[i]));
  }
  if (state->most > 0 && state->most < State::kManyHeld) --state->most;
}

void Transfer::ReleaseSite(State* state, const llvm::CallBase& site) const {
  std::vector<LocId> locs;
  for (const MayLock& held : state->held) {
    if (held.site == &site) locs.push_back(held.loc);
  }
  std::erase_if(state->held, [&](const MayLock& held) { return held.site == &site; });
  std::erase_if(state->must, [&](const MustLock& must) { return Overlaps(must.loc, locs); });
  if (state->most > 0 && state->most < State::kManyHeld) --state->most;
}

void Transfer::Decide(State* state, const llvm::Value* value, bool nonzero, const llvm::BasicBlock* block) const {
  std::vector<MayLock> kept;
  std::vector<MayLock> won;
  std::vector<LocId> lost;
  for (MayLock held : state->held) {
    if (held.pending != value) {
      kept.push_back(held);
    } else if (held.when_nonzero == nonzero) {
      held.pending = nullptr;
      won.push_back(held);
    } else {
      lost.push_back(held.loc);
    }
  }
  state->held = std::move(kept);
  for (const MayLock& held : won) AddHeld(state, held);
  const auto* tried = dyn_cast<llvm::Instruction>(value);
  bool just_now = tried != nullptr && tried->getParent() == block;
  if (just_now && won.size() == 1 && facts_.Single(won[0].loc)) AddMust(state, {won[0].loc, won[0].mode});
  std::erase_if(state->must, [&](const MustLock& must) { return Overlaps(must.loc, lost); });
  if (!lost.empty() && state->most > 0 && state->most < State::kManyHeld) --state->most;
}

void Transfer::Redefine(State* state, const llvm::BasicBlock* block) const {
  bool changed = false;
  for (MayLock& held : state->held) {
    const auto* root = llvm::dyn_cast_or_null<llvm::Instruction>(held.root);
    if (root != nullptr && root->getParent() == block && !llvm::isa<llvm::AllocaInst>(root)) {
      held.root = nullptr;
      held.offset = 0;
      changed = true;
    }
    const auto* pending = llvm::dyn_cast_or_null<llvm::Instruction>(held.pending);
    if (pending != nullptr && pending->getParent() == block) {
      held.pending = nullptr;
      changed = true;
    }
  }
  if (!changed) return;
  std::sort(state->held.begin(), state->held.end());
  state->held.erase(std::unique(state->held.begin(), state->held.end()), state->held.end());
}

}  // namespace heddle::deadlock
