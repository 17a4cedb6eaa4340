// The accesses of a trace, by word of 8 bytes and by site, for finding pairs that may race. A word that is freed,
// mapped or allocated anew gets a new number: nothing before has to do with what comes after, and the free counts as a
// write.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "predict/access_point.h"
#include "predict/locksets.h"
#include "predict/model_builder.h"

namespace heddle::predict {

// What an instruction of one thread does, with the same locks held.
struct AccessSite {
  AccessPoint point;  // the first time
  uint8_t mask = 0;   // bytes of the word
  bool frees = false;
};

struct LoggedAccess {
  uint32_t word = 0;
  uint32_t site = 0;
  uint32_t segment = 0;
};

struct LoggedWord {
  uint64_t address = 0;
  uint32_t writer = kNone;  // thread of the last plain write
  uint32_t write_segment = 0;
  uint32_t last_site = kNone;
  uint32_t last_segment = 0;
  uint32_t block = kNone;
};

struct LoggedFree {
  uint32_t thread = 0;
  uint32_t segment = 0;
  uint64_t pc = 0;
};

class AccessLog {
 public:
  // Takes an event before the builder does, and tells it who read what.
  void Add(const trace::Event& event, const Locksets& locksets, ModelBuilder* builder);

  const std::vector<AccessSite>& sites() const { return sites_; }
  const std::vector<LoggedWord>& words() const { return words_; }
  const std::vector<HeapBlock>& blocks() const { return blocks_; }
  // In the order of the trace.
  const std::vector<LoggedAccess>& accesses() const { return accesses_; }
  // All of them; accesses() only has those of blocks that were used.
  const std::vector<LoggedFree>& frees() const { return frees_; }
  uint64_t seen() const { return seen_; }  // accesses of the trace, by event

 private:
  static constexpr size_t kPageWords = 512;
  struct Page {
    uint32_t words[kPageWords] = {};  // number of the word plus one
  };
  struct SiteKey {
    uint64_t pc;
    uint64_t place;  // of sites without a code address: the word
    uint32_t thread;
    uint32_t lockset;
    uint32_t flags;
    bool operator==(const SiteKey&) const = default;
  };
  struct SiteHash {
    size_t operator()(const SiteKey& key) const;
  };

  void Access(const AccessPoint& point, uint64_t address, uint64_t bytes, bool frees, ModelBuilder* builder);
  void Word(const AccessPoint& point, uint64_t word, uint8_t mask, bool frees, ModelBuilder* builder);
  uint32_t SiteOf(const AccessPoint& point, uint64_t word, uint8_t mask, bool frees);
  uint32_t WordAt(uint64_t word);
  void Renew(uint64_t begin, uint64_t bytes);
  void RenewPage(uint64_t page, uint64_t first, uint64_t end);
  void FreeBlock(const AccessPoint& point, ModelBuilder* builder);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  std::vector<LoggedWord> words_;
  std::vector<AccessSite> sites_;
  std::unordered_map<SiteKey, uint32_t, SiteHash> site_numbers_;
  std::vector<LoggedAccess> accesses_;
  std::map<uint64_t, uint32_t> block_at_;  // address of living blocks to number
  std::vector<HeapBlock> blocks_;
  std::vector<LoggedFree> frees_;
  uint64_t seen_ = 0;
};

}  // namespace heddle::predict
