// How a search goes on on disk (disk.h) when the memory limit is reached; included by search.cpp only.
//
// The level that was being expanded goes on where it stopped. What had been found of the next level is certain, so it
// comes first in the next level's file; the rest follows in the order of keys. One thread.
#pragma once

#include "csp/refine/searcher.h"

namespace heddle::csp {

template <int W>
bool Searcher<W>::MustSpill() const {
  return !limits_.disk.empty() && disk_ == nullptr && !question_.reduce && result_.violation == Violation::kNone &&
         result_.stopped_by == kMemoryLimit && !tau_seen_.failed();
}

template <int W>
void Searcher<W>::Spill() {
  result_.stopped_by.clear();
  uint64_t most = limits_.disk_after != 0 ? limits_.disk_after : limits_.bytes;
  disk_ = std::make_unique<OnDisk>(limits_.disk, most / 2);
  for (auto* tables : {&tables_, &level_tables_}) {
    for (StateTable<W>& table : *tables) {
      table.TakeSorted([&](const Key<W>* keys, size_t count) { disk_->states.AddSeen(keys, count); });
    }
    *tables = std::vector<StateTable<W>>(1);
  }
  workers_.resize(1);
  workers_[0].out.resize(1);
  for (size_t i = expanded_; i < frontier_.size(); ++i) disk_->frontier.Push(&frontier_.At(i));
  for (size_t i = 0; i < next_.size(); ++i) disk_->next.Push(&next_.At(i));
  for (uint32_t number = 0; number < count_; ++number) {
    uint32_t choice = choices_[number] == kWideChoice ? wide_choices_[number] : choices_[number];
    typename OnDisk::Origin origin{parents_[number], choice};
    disk_->origins.Push(&origin);
  }
  first_ += static_cast<uint32_t>(expanded_);
  frontier_ = KeyQueue<W>();
  next_ = KeyQueue<W>();
  parents_ = Pieces<uint32_t>();
  choices_ = Pieces<uint16_t>();
  wide_choices_.clear();
}

template <int W>
bool Searcher<W>::LevelOnDisk() {
  constexpr size_t kBlock = 4096;
  Worker& worker = workers_[0];
  std::vector<Key<W>> block;
  uint64_t size = disk_->frontier.size();
  for (uint64_t begin = 0; begin < size && !Done(worker) && result_.stopped_by.empty(); begin += kBlock) {
    block.resize(std::min<uint64_t>(kBlock, size - begin));
    disk_->frontier.Read(begin, block.size(), block.data());
    for (size_t i = 0; i < block.size() && !Done(worker); ++i) {
      ExpandState(worker, block[i], first_ + static_cast<uint32_t>(begin + i));
      for (const Pending& p : worker.out[0]) disk_->states.Meet(p.key, p.hash, p.parent, p.choice);
      worker.out[0].clear();
      if ((++ticks_ & 0x3FF) == 0 && OverLimit()) break;
    }
  }
  result_.transitions += worker.transitions;
  worker.transitions = 0;
  Report(worker);
  if (worker.violation == Violation::kNone && result_.stopped_by.empty()) EndLevelOnDisk();
  return worker.violation == Violation::kNone && result_.stopped_by.empty();
}

template <int W>
void Searcher<W>::EndLevelOnDisk() {
  disk_->states.EndLevel(
      [&](const typename DiskStates<W>::Candidate& fresh) {
        typename OnDisk::Origin origin{fresh.parent, fresh.choice};
        disk_->origins.Push(&origin);
        disk_->next.Push(&fresh.key);
        ++count_;
        return !graded_ || !explorer_.InGraded(fresh.key);
      },
      [&] { return OverLimit(); });
}

template <int W>
uint64_t Searcher<W>::DiskBytes() const {
  return disk_->states.disk_bytes() + disk_->origins.size() * sizeof(typename OnDisk::Origin) +
         (disk_->frontier.size() + disk_->next.size()) * sizeof(Key<W>);
}

}  // namespace heddle::csp
