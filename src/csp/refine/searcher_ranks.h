// A search by several processes (csp/peers.h); included by search.cpp only.
//
// Each rank owns the states that a hash gives it. Level by level: each expands its own states and sends successors to
// their owners, then all tell each other what they found, and decide alike whether there is a next level. So a
// violation is found on the same level as by one process, and its path is as long; the path is put together by asking
// the owners, state by state.
//
// A key means the same to all ranks, because all of them number nodes of the specification and formats in the same
// order. Nodes: the normal form is built in full before the search. Formats: a step that changes the format is not
// performed when it is met. At the end of the level all ranks are told of all such states, and all perform their steps
// in the order of the keys. (Such steps are rare; where they are not, the ranks do all of this work each.) What numbers
// states in another way, terms and leaves that grow, is not searched by several ranks. A search for a divergence runs
// ahead of the others, so it has an explorer with numbers of its own.
//
// Time, memory and errors may come to one rank alone: limits are part of what they tell each other; one that fails says
// so (Peers::GiveUp). Compared with one process in ranks_test.cpp and tests/csp/ranks.py.
#pragma once

#include <cstring>

#include "csp/refine/searcher.h"

namespace heddle::csp {

[[noreturn]] inline void ThrowRanksDiffer() {
  AboutToThrow();
  throw CannotShare{"a difference between the ranks (other scripts, or other versions)"};
}

// What a rank found on a level.
template <int W>
struct Searcher<W>::Summary {
  uint64_t fresh = 0;   // states of the next level
  uint64_t states = 0;  // that it owns
  uint64_t transitions = 0;
  uint64_t bytes = 0;
  uint64_t fingerprint = 0;  // of the formats met
  uint32_t violation = 0;
  uint32_t at = 0;
  uint32_t wrong_event = 0;
  uint32_t wrong_at = 0;
  uint32_t wrong_choice = 0;
  uint32_t too_narrow = 0;
  char stopped_by[64] = {};

  std::string Bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
  static Summary From(const std::string& bytes) {
    Summary summary;
    if (bytes.size() == sizeof summary) std::memcpy(&summary, bytes.data(), sizeof summary);
    return summary;
  }
};

template <int W>
void Searcher<W>::RecordFrom(const Pending& pending, int rank) {
  parent_ranks_.Push(static_cast<uint16_t>(rank));
  Record(pending);
}

// Before anything else: do all ranks search the same system, with the same numbers?
template <int W>
void Searcher<W>::CheckRanksAgree(uint64_t spec_hash) {
  std::vector<uint64_t> parts(root_.begin(), root_.end());
  parts.push_back(spec_hash);
  parts.push_back(explorer_.fingerprint());
  parts.push_back(graded_ ? 1 : 0);
  std::string mine(reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(uint64_t));
  question_.peers->SendToAll(mine);
  bool same = true;
  question_.peers->EndRound([&](int, const std::string& other) { same &= other == mine; });
  if (!same) ThrowRanksDiffer();
}

template <int W>
SearchResult Searcher<W>::RunInRanks() {
  Peers& peers = *question_.peers;
  auto ranks = static_cast<size_t>(peers.count());
  tables_ = std::vector<StateTable<W>>(ranks);
  level_tables_ = std::vector<StateTable<W>>(ranks);
  workers_[0].out.resize(ranks);
  uint64_t spec_hash = question_.spec == nullptr ? 0 : question_.spec->BuildAll();
  root_ = explorer_.Encode(system_.Take(question_.implementation), 0);
  const Format& format = system_.format(explorer_.FormatIn(root_));
  Explorer<W>::CheckShared(format);
  explorer_.RefuseNumbered();
  if (question_.spec != nullptr) explorer_.CheckNode(static_cast<uint32_t>(question_.spec->node_count()) - 1);
  graded_ = question_.use_grades && IsGraded(format);
  if (graded_) explorer_.UseGraded(explorer_.FormatIn(root_));
  CheckRanksAgree(spec_hash);
  uint64_t hash = StateTable<W>::Hash(root_);
  bool mine = OwnerOf(hash) == static_cast<size_t>(peers.rank());
  if (mine) {
    tables_[OwnerOf(hash)].Insert(root_, hash);
    RecordFrom({root_, hash, 0, 0}, peers.count());
  }
  all_states_ = 1;
  do {
    BeginLevel();
  } while (LevelInRanks());
  result_.states = all_states_;
  result_.complete = result_.violation != Violation::kNone || result_.stopped_by.empty();
  if (result_.violation != Violation::kNone) result_.stopped_by.clear();
  return std::move(result_);
}

template <int W>
bool Searcher<W>::LevelInRanks() {
  Summary mine;
  explorer_.Defer(true);
  ExpandOwn(mine);
  explorer_.Defer(false);
  SendAway(true);
  std::string waiting;
  for (const Deferred& d : deferred_) waiting.append(reinterpret_cast<const char*>(&d), sizeof d);
  if (!waiting.empty()) question_.peers->SendToAll("D" + waiting);
  question_.peers->EndRound([&](int from, const std::string& message) { HearStates(from, message); });
  PerformDeferred();
  mine.fresh = next_.size();
  mine.states = count_;
  mine.fingerprint = explorer_.fingerprint();
  if (mine.stopped_by[0] == 0 && OverLimit()) {
    std::strncpy(mine.stopped_by, result_.stopped_by.c_str(), sizeof mine.stopped_by - 1);
  }
  mine.bytes = result_.bytes;
  return Agree(mine);
}

// Expands this rank's part of the frontier, and takes in what comes meanwhile.
template <int W>
void Searcher<W>::ExpandOwn(Summary& mine) {
  Worker& worker = workers_[0];
  auto me = static_cast<uint32_t>(question_.peers->rank());
  try {
    for (size_t i = 0; i < frontier_.size() && !Done(worker); ++i) {
      uint32_t number = first_ + static_cast<uint32_t>(i);
      worker.deferred = false;
      ExpandState(worker, frontier_.At(i), number);
      if (worker.deferred) deferred_.push_back({frontier_.At(i), number, me});
      if ((i & 0x3FF) != 0x3FF) continue;
      frontier_.DropBefore(i);
      SendAway(false);
      question_.peers->TakeCome([&](int from, const std::string& message) { HearStates(from, message); });
      if (OverLimit()) break;
    }
    Sift(worker, 0);
  } catch (const TooNarrow&) {
    mine.too_narrow = 1;
  } catch (const PeersLost&) {
    throw;
  } catch (...) {
    question_.peers->GiveUp("it met an error");
    throw;
  }
  std::strncpy(mine.stopped_by, result_.stopped_by.c_str(), sizeof mine.stopped_by - 1);
  mine.transitions = worker.transitions;
  worker.transitions = 0;
  mine.violation = static_cast<uint32_t>(worker.violation);
  mine.at = worker.at;
  mine.wrong_event = worker.wrong_event ? 1 : 0;
  mine.wrong_at = worker.wrong_at;
  mine.wrong_choice = worker.wrong_choice;
}

// Successors to their owners: lists that are long, or all.
template <int W>
void Searcher<W>::SendAway(bool all) {
  constexpr size_t kLong = 4096;
  auto me = static_cast<size_t>(question_.peers->rank());
  for (size_t to = 0; to < tables_.size(); ++to) {
    std::vector<Pending>& list = workers_[0].out[to];
    if (to == me) {
      for (const Pending& p : list) {
        if (TableOf(p.key, me).Insert(p.key, p.hash)) RecordFrom(p, static_cast<int>(me));
      }
    } else {
      if (list.empty() || (!all && list.size() < kLong)) continue;
      std::string message = "S";
      message.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(Pending));
      question_.peers->Send(static_cast<int>(to), std::move(message));
    }
    list.clear();
  }
}

template <int W>
void Searcher<W>::HearStates(int from, const std::string& message) {
  auto me = static_cast<size_t>(question_.peers->rank());
  if (message[0] == 'D') {
    size_t count = (message.size() - 1) / sizeof(Deferred);
    size_t before = deferred_.size();
    deferred_.resize(before + count);
    std::memcpy(deferred_.data() + before, message.data() + 1, count * sizeof(Deferred));
    return;
  }
  std::vector<Pending> list((message.size() - 1) / sizeof(Pending));
  std::memcpy(list.data(), message.data() + 1, list.size() * sizeof(Pending));
  for (const Pending& p : list) TableOf(p.key, me).Prefetch(p.hash, true);
  for (const Pending& p : list) {
    if (TableOf(p.key, me).Insert(p.key, p.hash)) RecordFrom(p, from);
  }
}

// The steps that change the format, in all ranks in the same order; their targets are taken in by their owners.
template <int W>
void Searcher<W>::PerformDeferred() {
  Worker& worker = workers_[0];
  auto me = static_cast<size_t>(question_.peers->rank());
  std::sort(deferred_.begin(), deferred_.end(), [](const Deferred& a, const Deferred& b) { return a.key < b.key; });
  for (const Deferred& d : deferred_) {
    uint32_t node = question_.spec == nullptr ? 0 : explorer_.NodeIn(d.key);
    std::vector<bool> waits;
    explorer_.Defer(true);
    explorer_.ForEach(d.key,
                      [&](const auto&, const Key<W>& next) { waits.push_back(next == Explorer<W>::Deferred()); });
    explorer_.Defer(false);
    uint32_t choice = 0;
    explorer_.ForEach(d.key, [&](const auto& step, Key<W> next) {
      uint32_t this_one = choice++;
      if (!waits[this_one]) return;
      if (step.event != kTau && question_.spec != nullptr) {
        uint32_t after = NodeAfter(worker, node, step.event);
        if (after == Spec::kNone) return;
        explorer_.SetNode(next, after);
      }
      uint64_t hash = StateTable<W>::Hash(next);
      if (OwnerOf(hash) != me || !TableOf(next, me).Insert(next, hash)) return;
      RecordFrom({next, hash, d.number, this_one}, static_cast<int>(d.rank));
    });
  }
  deferred_.clear();
}

// All ranks tell what they found and decide alike. True: there is a next level.
template <int W>
bool Searcher<W>::Agree(const Summary& mine) {
  std::vector<Summary> all(tables_.size());
  all[static_cast<size_t>(question_.peers->rank())] = mine;
  question_.peers->SendToAll(mine.Bytes());
  question_.peers->EndRound(
      [&](int from, const std::string& message) { all[static_cast<size_t>(from)] = Summary::From(message); });
  Worker best;
  uint64_t fresh = 0;
  uint64_t bytes = 0;
  all_states_ = 0;
  result_.stopped_by.clear();
  uint16_t wrong_rank = 0;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const Summary& s = all[rank];
    if (s.too_narrow != 0) ThrowTooNarrow();
    if (s.fingerprint != mine.fingerprint) ThrowRanksDiffer();
    fresh += s.fresh;
    bytes += s.bytes;
    all_states_ += s.states;
    result_.transitions += s.transitions;
    if (result_.stopped_by.empty()) result_.stopped_by = s.stopped_by;
    if (s.violation != 0 && best.violation == Violation::kNone) {
      best.violation = static_cast<Violation>(s.violation);
      best.at = s.at;
      violating_rank_ = static_cast<uint16_t>(rank);
    }
    if (s.wrong_event != 0 && !best.wrong_event) {
      best.wrong_event = true;
      best.wrong_at = s.wrong_at;
      best.wrong_choice = s.wrong_choice;
      wrong_rank = static_cast<uint16_t>(rank);
    }
  }
  result_.bytes = std::max(result_.bytes, bytes);
  if (limits_.states != 0 && all_states_ > limits_.states && result_.stopped_by.empty()) {
    result_.stopped_by = "the limit on states";
  }
  if (best.violation == Violation::kNone && best.wrong_event) violating_rank_ = wrong_rank;
  Report(best);
  if (best.violation != Violation::kNone || !result_.stopped_by.empty() || fresh == 0) return false;
  ++result_.depth;
  return true;
}

// A round for each step: the owner of the state tells where it came from.
template <int W>
std::vector<uint32_t> Searcher<W>::ChoicesOverRanks(uint32_t number) {
  struct Origin {
    uint32_t rank;
    uint32_t parent;
    uint32_t choice;
  };
  Peers& peers = *question_.peers;
  std::vector<uint32_t> choices;
  Origin at{violating_rank_, number, 0};
  while (true) {
    if (static_cast<int>(at.rank) == peers.rank()) {
      auto [parent, choice] = CameFrom(at.parent);
      at = {parent_ranks_[at.parent], parent, choice};
      peers.SendToAll({reinterpret_cast<const char*>(&at), sizeof at});
    }
    peers.EndRound([&](int, const std::string& message) {
      if (message.size() == sizeof at) std::memcpy(&at, message.data(), sizeof at);
    });
    if (static_cast<int>(at.rank) == peers.count()) break;  // that was the root
    choices.push_back(at.choice);
  }
  std::reverse(choices.begin(), choices.end());
  return choices;
}

template <int W>
bool Searcher<W>::DivergesBeside(const Key<W>& key) {
  std::lock_guard<std::mutex> lock(explorer_.mutex());
  if (tau_explorer_ == nullptr) tau_explorer_ = std::make_unique<Explorer<W>>(system_, explorer_.width(), false);
  return DivergesIn(*tau_explorer_, tau_explorer_->Encode(explorer_.Decode(key), 0));
}

}  // namespace heddle::csp
