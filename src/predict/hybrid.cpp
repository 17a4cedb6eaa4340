#include "predict/hybrid.h"

#include <algorithm>

namespace heddle::predict {

using trace::Event;
using trace::Kind;

void HybridAnalysis::Add(const Event& event) {
  ++events_;
  threads_ = std::max(threads_, event.thread + 1);
  switch (event.kind) {
    case Kind::Read:
    case Kind::ReadRange:
    case Kind::OrderedRead:
      return Access(event, false, false);
    case Kind::Write:
    case Kind::WriteRange:
    case Kind::OrderedWrite:
      return Access(event, true, false);
    case Kind::AtomicLoad:
      Access(event, false, true);
      break;
    case Kind::AtomicStore:
    case Kind::AtomicRmw:
      Access(event, true, true);
      break;
    case Kind::AtomicCas:
      Access(event, event.result != 0, true);
      break;
    case Kind::Alloc:
      Forget(event.address, event.arg);
      blocks_[event.address] = {event.address, event.arg, event.thread, event.stack, event.pc};
      break;
    case Kind::Free: {
      auto block = blocks_.find(event.address);
      if (block != blocks_.end()) {
        Forget(block->second.begin, block->second.bytes);
        blocks_.erase(block);
      }
      break;
    }
    case Kind::Map:
    case Kind::Unmap:
    case Kind::ThreadBegin:
      Forget(event.address, event.arg);
      break;
    default:
      break;
  }
  order_.Add(event);
  locksets_.Add(event);
}

void HybridAnalysis::Forget(uint64_t begin, uint64_t bytes) {
  uint64_t first = begin / 8;
  uint64_t last = (begin + bytes + 7) / 8;
  if (last - first > words_.size()) {
    std::erase_if(words_, [&](const auto& entry) { return entry.first >= first && entry.first < last; });
    return;
  }
  for (uint64_t word = first; word < last; ++word) words_.erase(word);
}

void HybridAnalysis::Access(const Event& event, bool write, bool atomic) {
  AccessPoint access{event.thread,        write,    atomic,      event.address,
                     event.AccessBytes(), event.pc, event.stack, locksets_.Now(event.thread)};
  uint64_t end = access.address + access.bytes;
  for (uint64_t at = access.address; at < end; at = (at | 7U) + 1) {
    uint64_t stop = std::min(end, (at | 7U) + 1);
    auto mask = static_cast<uint8_t>(((1U << (stop - at)) - 1U) << (at & 7U));
    Word(at / 8, mask, access);
  }
}

void HybridAnalysis::Word(uint64_t word, uint8_t mask, const AccessPoint& access) {
  std::vector<Past>& history = words_[word];
  const Clocks& now = order_.Of(access.thread);
  Past* same = nullptr;
  for (Past& past : history) {
    if (past.thread == access.thread) {
      if (past.pc == access.pc && past.write == access.write && past.lockset == access.lockset) same = &past;
      continue;
    }
    if ((past.mask & mask) == 0 || (!past.write && !access.write) || (past.atomic && access.atomic)) continue;
    Compare(past, word, access);
  }
  Past entry{
      access.pc, access.thread, access.stack, access.lockset, now.must.Get(access.thread), now.run.Get(access.thread),
      mask,      access.write,  access.atomic};
  if (same != nullptr) {
    entry.mask |= same->mask;
    *same = entry;
    return;
  }
  if (history.size() == kMaxHistory) history.erase(history.begin());
  history.push_back(entry);
}

void HybridAnalysis::Compare(const Past& past, uint64_t word, const AccessPoint& access) {
  const Clocks& now = order_.Of(access.thread);
  if (past.must <= now.must.Get(past.thread)) return;
  if (locksets_.Exclude(past.lockset, access.lockset)) return;
  bool in_this_run = past.run > now.run.Get(past.thread);
  Key key = std::minmax(past.pc * 2 + (past.write ? 1 : 0), access.pc * 2 + (access.write ? 1 : 0));
  auto [found, added] = known_.emplace(key, races_.size());
  if (!added) {
    RacePair& race = races_[found->second];
    ++race.count;
    if (!in_this_run || race.in_this_run) return;
    race.in_this_run = true;  // stronger evidence for the same pair
    race.hidden_by = 0;
    return;
  }
  AccessPoint first{past.thread, past.write, past.atomic, word * 8, 8, past.pc, past.stack, past.lockset};
  // The bytes of the earlier access, from its mask.
  first.address += static_cast<uint64_t>(__builtin_ctz(past.mask));
  first.bytes = static_cast<uint64_t>(__builtin_popcount(past.mask));
  uint64_t hidden_by = in_this_run ? 0 : order_.LockBetween(past.thread, access.thread);
  races_.push_back({first, access, in_this_run, hidden_by, 1, BlockAt(std::max(first.address, access.address))});
}

HeapBlock HybridAnalysis::BlockAt(uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return {};
  const HeapBlock& block = std::prev(after)->second;
  return address < block.begin + block.bytes ? block : HeapBlock{};
}

}  // namespace heddle::predict
