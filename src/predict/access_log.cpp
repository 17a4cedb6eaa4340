#include "predict/access_log.h"

#include <algorithm>

namespace heddle::predict {

using trace::Event;
using trace::Kind;

namespace {

constexpr uint64_t kWordBytes = 8;

uint32_t Flags(const AccessPoint& point, uint8_t mask, bool frees) {
  return mask | (point.write ? 256U : 0U) | (point.atomic ? 512U : 0U) | (frees ? 1024U : 0U);
}

bool AtomicWrites(const Event& event) {
  return event.kind == Kind::AtomicStore || event.kind == Kind::AtomicRmw ||
         (event.kind == Kind::AtomicCas && event.result == 1);
}

}  // namespace

size_t AccessLog::SiteHash::operator()(const SiteKey& key) const {
  uint64_t hash = key.pc * 0x9E3779B97F4A7C15U ^ key.place;
  hash = (hash ^ hash >> 29U) * 0xBF58476D1CE4E5B9U ^ (static_cast<uint64_t>(key.thread) << 32U | key.lockset);
  hash = (hash ^ hash >> 32U) * 0x94D049BB133111EBU ^ key.flags;
  return hash ^ hash >> 31U;
}

uint32_t AccessLog::WordAt(uint64_t word) {
  std::unique_ptr<Page>& page = pages_[word / kPageWords];
  if (!page) page = std::make_unique<Page>();
  uint32_t& number = page->words[word % kPageWords];
  if (number == 0) {
    LoggedWord made;
    made.address = word * kWordBytes;
    auto block = block_at_.upper_bound(made.address + kWordBytes - 1);
    if (block != block_at_.begin()) {
      const HeapBlock& at = blocks_[std::prev(block)->second];
      if (at.begin + at.bytes > made.address) made.block = std::prev(block)->second;
    }
    words_.push_back(made);
    number = static_cast<uint32_t>(words_.size());
  }
  return number - 1;
}

uint32_t AccessLog::SiteOf(const AccessPoint& point, uint64_t word, uint8_t mask, bool frees) {
  SiteKey key{point.pc, point.pc == 0 ? word : 0, point.thread, point.lockset, Flags(point, mask, frees)};
  auto [found, added] = site_numbers_.emplace(key, static_cast<uint32_t>(sites_.size()));
  if (added) sites_.push_back({point, mask, frees});
  return found->second;
}

void AccessLog::Word(const AccessPoint& point, uint64_t word, uint8_t mask, bool frees, ModelBuilder* builder) {
  uint32_t number = WordAt(word);
  uint32_t segment = builder->Segment(point.thread);
  LoggedWord& at = words_[number];
  if (!point.atomic && !frees) {
    if (point.write) {
      at.writer = point.thread;
      at.write_segment = segment;
    } else if (at.writer != kNone) {
      builder->ReadFrom(point.thread, at.writer, at.write_segment);
    }
  }
  uint32_t site = SiteOf(point, word, mask, frees);
  if (at.last_site == site && at.last_segment == segment) return;
  at.last_site = site;
  at.last_segment = segment;
  accesses_.push_back({number, site, segment});
}

void AccessLog::Access(const AccessPoint& point, uint64_t address, uint64_t bytes, bool frees, ModelBuilder* builder) {
  uint64_t end = address + bytes;
  for (uint64_t word = address / kWordBytes; word * kWordBytes < end; ++word) {
    uint64_t first = std::max(address, word * kWordBytes) % kWordBytes;
    uint64_t last = std::min(end, (word + 1) * kWordBytes) - word * kWordBytes;
    auto mask = static_cast<uint8_t>((0xFFU << first) & (0xFFU >> (kWordBytes - last)));
    Word(point, word, mask, frees, builder);
  }
}

void AccessLog::RenewPage(uint64_t page, uint64_t first, uint64_t end) {
  auto found = pages_.find(page);
  if (found == pages_.end()) return;
  for (uint64_t word = std::max(first, page * kPageWords); word < std::min(end, (page + 1) * kPageWords); ++word) {
    found->second->words[word % kPageWords] = 0;
  }
}

void AccessLog::Renew(uint64_t begin, uint64_t bytes) {
  uint64_t first = begin / kWordBytes;
  uint64_t end = (begin + bytes + kWordBytes - 1) / kWordBytes;
  if (end <= first) return;
  if ((end - first) / kPageWords > pages_.size()) {
    for (auto& [page, words] : pages_) RenewPage(page, first, end);
    return;
  }
  for (uint64_t page = first / kPageWords; page * kPageWords < end; ++page) RenewPage(page, first, end);
}

// Only words that somebody accessed: of the others there is nothing to tell.
void AccessLog::FreeBlock(const AccessPoint& point, ModelBuilder* builder) {
  auto block = block_at_.find(point.address);
  if (block == block_at_.end()) return;
  const HeapBlock freed = blocks_[block->second];
  frees_.push_back({point.thread, builder->Segment(point.thread), point.pc});
  AccessPoint whole = point;
  whole.bytes = freed.bytes;
  uint64_t first = freed.begin / kWordBytes;
  uint64_t end = (freed.begin + freed.bytes + kWordBytes - 1) / kWordBytes;
  for (uint64_t word = first; word < end; ++word) {
    auto page = pages_.find(word / kPageWords);
    if (page == pages_.end()) {
      word |= kPageWords - 1;
      continue;
    }
    if (page->second->words[word % kPageWords] != 0) Word(whole, word, 0xFF, true, builder);
  }
  Renew(freed.begin, freed.bytes);
  block_at_.erase(block);
}

void AccessLog::Add(const Event& event, const Locksets& locksets, ModelBuilder* builder) {
  builder->Prepare(event);
  AccessPoint point;
  point.thread = event.thread;
  point.address = event.address;
  point.pc = event.pc;
  point.stack = event.stack;
  point.lockset = locksets.Now(event.thread);
  if (event.kind == Kind::Alloc) {
    Renew(event.address, event.arg);
    block_at_[event.address] = static_cast<uint32_t>(blocks_.size());
    // What realloc hands out has the old contents.
    bool set = event.detail == static_cast<uint8_t>(trace::AllocHow::Calloc) ||
               event.detail == static_cast<uint8_t>(trace::AllocHow::Realloc);
    blocks_.push_back(
        {event.address, event.arg, event.thread, event.stack, event.pc, builder->Segment(event.thread), set});
  } else if (event.kind == Kind::Free) {
    point.write = true;
    FreeBlock(point, builder);
  } else if (event.kind == Kind::Map || event.kind == Kind::Unmap || event.kind == Kind::ThreadBegin) {
    Renew(event.address, event.arg);
  } else if (uint64_t bytes = event.AccessBytes(); bytes != 0) {
    ++seen_;
    point.atomic = trace::IsAtomic(event.kind);
    point.write = point.atomic ? AtomicWrites(event) : event.IsPlainWrite();
    point.bytes = bytes;
    Access(point, event.address, bytes, false, builder);
  }
}

}  // namespace heddle::predict
