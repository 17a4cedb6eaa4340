// What the lockset stage does with handoffs.h.
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "deadlock/locksets/context_run.h"

namespace heddle::deadlock {

bool Locksets::IsHandoff(LocId loc) const {
  if (handoffs_ == nullptr || transfer_.IsThread(loc)) return handoffs_ != nullptr;
  auto found = handoffs_->all().find(loc);
  return found != handoffs_->all().end() && found->second.kind != HandoffKind::kLock;
}

bool Locksets::RunsOnce(const Origin& origin) const {
  return origin.create == nullptr ? !origin.anytime : facts_.HappensOnce(*origin.create);
}

// Who releases what; only what can be believed stays (handoffs.h has the rules).
void Locksets::FindReleasers() {
  releasers_.clear();
  if (handoffs_ == nullptr || detail_ != Detail::kContexts) return;
  for (const auto& [token, context] : handoff_releases_) {
    releasers_[token].insert(context_origins_[context].begin(), context_origins_[context].end());
  }
  for (const auto& [token, handoff] : handoffs_->all()) {
    const std::set<OriginId>& who = releasers_[token];
    bool once = std::all_of(who.begin(), who.end(), [&](OriginId id) { return RunsOnce(origins_[id]); });
    bool believed = false;
    switch (handoff.kind) {
      case HandoffKind::kAny:
        believed = once && who.size() == 1;
        break;
      case HandoffKind::kAll:
        believed = once && handoff.releases.size() <= static_cast<size_t>(handoff.count) &&
                   std::all_of(handoff.releases.begin(), handoff.releases.end(),
                               [&](const llvm::Instruction* at) { return facts_.HappensOnce(*at); });
        break;
      case HandoffKind::kRound:
        believed = once && who.size() <= static_cast<size_t>(handoff.count);
        break;
      case HandoffKind::kLock:
        believed = given_by_others_.count(token) == 0;
        if (!believed) broken_.insert(token);
        break;
    }
    if (!believed) releasers_.erase(token);
  }
}

bool Locksets::IsBelieved(const MustLock& lock, const std::set<OriginId>& origins) const {
  if (detail_ != Detail::kContexts) return false;
  if (transfer_.IsThread(lock.loc)) {
    return lock.mode == Mode::kRead || std::all_of(origins.begin(), origins.end(), [&](OriginId id) {
             const llvm::CallBase* create = origins_[id].create;
             return create != nullptr && facts_.points().LocOfThread(*create) == lock.loc;
           });
  }
  auto found = releasers_.find(lock.loc);
  if (found == releasers_.end()) return false;
  if (lock.mode == Mode::kRead) return true;
  return origins.size() == 1 && found->second.count(*origins.begin()) != 0;
}

// What each thread knows when it ends, whichever way: for those who join it. The first round takes it that it knows
// nothing, and each one rests on the last: it only grows.
bool Locksets::UpdateKnowledge() {
  if (handoffs_ == nullptr || facts_.entries().empty()) return false;
  // A thread that is cancelled ends anywhere.
  if (facts_.entries()[0]->getParent()->getFunction("pthread_cancel") != nullptr) return false;
  std::map<OriginId, std::set<LocId>> known;
  for (const ThreadEnd& end : ends_) {
    std::set<LocId> here;
    for (const MustLock& lock : states_[end.state].must) {
      if (lock.mode == Mode::kRead && IsHandoff(lock.loc)) here.insert(lock.loc);
    }
    for (OriginId id : context_origins_[end.context]) {
      auto [place, fresh] = known.try_emplace(id, here);
      if (!fresh) std::erase_if(place->second, [&](LocId loc) { return here.count(loc) == 0; });
    }
  }
  bool changed = false;
  for (auto& [id, locs] : known) {
    changed |= !locs.empty() && origins_[id].knows != locs;
    origins_[id].knows = std::move(locs);
  }
  return changed;
}

StateId ContextRun::Goes(const llvm::Instruction* first, const llvm::Instruction* end, StateId state) {
  if (all_.handoffs_ != nullptr && !all_.states_.only_top()) {
    for (const llvm::Instruction* at : all_.handoffs_->In(first->getParent())) {
      bool here = (at == first || first->comesBefore(at)) && (end == nullptr || at->comesBefore(end));
      if (!here || at->isTerminator()) continue;
      Passes(first, at->getNextNode(), state);
      state = HandsOver(*at, state);
      first = at->getNextNode();
    }
  }
  Passes(first, end, state);
  return state;
}

StateId ContextRun::HandsOver(const llvm::Instruction& at, StateId before) {
  const HandoffEvent& event = all_.handoffs_->At(&at);
  State state = all_.states_[before];
  const bool acquires = event.step == HandoffStep::kAcquire || event.step == HandoffStep::kMeet;
  if (event.step == HandoffStep::kGive && all_.collecting_) {
    for (LocId token : event.tokens) {
      bool held = std::find(state.must.begin(), state.must.end(), MustLock{token, Mode::kWrite}) != state.must.end();
      if (!held) all_.given_by_others_.insert(token);
    }
  }
  for (LocId token : event.tokens) {
    std::erase(state.must, MustLock{token, Mode::kWrite});
    if (all_.collecting_) all_.handoff_releases_.insert({token, id_});
  }
  if (acquires || event.step == HandoffStep::kTake) {
    const LocSet set = evaluator_.Of(event.variable);
    if (set.size() == 1 && all_.handoffs_->Has(set[0]))
      AddMust(&state, {set[0], acquires ? Mode::kRead : Mode::kWrite});
  }
  return all_.states_.Intern(std::move(state));
}

// The thread that `ended` created has ended: what it did is done, and what it knew is known.
void ContextRun::Knows(const llvm::CallBase* ended, State* state) const {
  if (all_.handoffs_ == nullptr || ended == nullptr || !all_.facts_.HappensOnce(*ended)) return;
  AddMust(state, {all_.facts_.points().LocOfThread(*ended), Mode::kRead});
  std::optional<std::set<LocId>> known;
  for (const Origin& origin : all_.origins_) {
    if (origin.create != ended) continue;
    std::set<LocId> its = origin.knows.value_or(std::set<LocId>{});
    if (known) std::erase_if(*known, [&](LocId loc) { return its.count(loc) == 0; });
    if (!known) known = std::move(its);
  }
  for (LocId loc : known.value_or(std::set<LocId>{})) AddMust(state, {loc, Mode::kRead});
}

}  // namespace heddle::deadlock
