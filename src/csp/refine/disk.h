// States on disk, for searches that outgrow the memory (delayed duplicate detection).
//
// The states seen stand in files sorted by key ("runs"). The states met while a level is expanded are candidates: they
// are collected in memory and written as a sorted run whenever the buffer is full. When the level has been expanded,
// the runs of candidates are merged; a candidate that is in no run of states seen is new. So a level costs a few
// passes over files and no random access. Of equal candidates the one with the smallest parent counts, so what the
// search finds does not depend on the size of the buffers. A table in memory keeps off candidates met lately.
//
// Runs of states seen have the first key of each block in memory: where a level has few candidates, blocks without
// one are not read. Neighbouring runs of about the same size are merged, so there are few of them.
//
// Invariant: a key is in at most one run of states seen. Files stand in a folder of their own, which goes with this
// object. A full or broken disk throws DiskFailed. The twin is the search in memory (network_test.cpp, disk_test.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "csp/refine/disk_file.h"
#include "csp/refine/state_table.h"

namespace heddle::csp {

template <int W>
class DiskStates {
 public:
  struct Candidate {
    Key<W> key;
    uint32_t parent;
    uint32_t choice;
    bool operator<(const Candidate& other) const {
      return key != other.key         ? key < other.key
             : parent != other.parent ? parent < other.parent
                                      : choice < other.choice;
    }
  };

  // `bytes`: of memory, for the buffer and the table together.
  DiskStates(const std::string& folder, uint64_t bytes)
      : folder_(folder),
        most_candidates_(std::max<uint64_t>(16, bytes / 2 / sizeof(Candidate))),
        most_recent_(std::max<uint64_t>(16, bytes / 4 / sizeof(Key<W>))) {
    buffer_.reserve(most_candidates_);
  }

  // Keys that have been seen; sorted, each once, in no run yet.
  void AddSeen(const Key<W>* keys, size_t count) {
    if (count == 0) return;
    Run run(folder_.NewFile());
    for (size_t i = 0; i < count; ++i) run.Push(keys[i]);
    AddRun(std::move(run));
  }

  void Meet(const Key<W>& key, uint64_t hash, uint32_t parent, uint32_t choice) {
    if (!recent_.Insert(key, hash)) return;
    if (recent_.size() >= most_recent_) recent_.Clear();
    buffer_.push_back({key, parent, choice});
    if (buffer_.size() >= most_candidates_) WriteCandidates();
  }

  // Calls fresh(candidate) for each new state, in the order of keys; it returns whether the state is to be among those
  // seen. stop() is asked now and then; what is left of the level is then lost.
  template <typename Fresh, typename Stop>
  void EndLevel(const Fresh& fresh, const Stop& stop) {
    std::sort(buffer_.begin(), buffer_.end());
    std::vector<Source> sources;
    for (RecordFile& file : candidates_) sources.emplace_back(file);
    if (!buffer_.empty()) sources.emplace_back(buffer_);
    auto later = [&](size_t a, size_t b) { return sources[b].at < sources[a].at; };
    std::priority_queue<size_t, std::vector<size_t>, decltype(later)> order(later);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].Next()) order.push(i);
    }
    for (Run& run : seen_) run.Rewind();
    Run added(folder_.NewFile());
    Key<W> last{};
    uint64_t count = 0;
    while (!order.empty()) {
      if ((++count & 0xFFFF) == 0 && stop()) return;
      size_t i = order.top();
      order.pop();
      Candidate candidate = sources[i].at;
      if (sources[i].Next()) order.push(i);
      if (candidate.key == last) continue;
      last = candidate.key;
      if (std::any_of(seen_.begin(), seen_.end(), [&](Run& run) { return run.Has(candidate.key); })) continue;
      if (fresh(candidate)) added.Push(candidate.key);
    }
    candidates_.clear();
    buffer_.clear();
    NotePeak();
    if (added.size() != 0) AddRun(std::move(added));
  }

  // Memory in use, and the most that stood on disk so far.
  uint64_t bytes() const { return recent_.bytes() + buffer_.capacity() * sizeof(Candidate); }
  uint64_t disk_bytes() const { return peak_; }
  bool failed() const { return recent_.failed(); }
  std::string NewFile() { return folder_.NewFile(); }

 private:
  // A sorted file of keys, with the first key of each block in memory. Looked up in ascending order.
  class Run {
   public:
    explicit Run(const std::string& path) : file_(path, sizeof(Key<W>)) {}
    void Push(const Key<W>& key) {
      if (file_.size() % kBlock == 0) first_.push_back(key);
      file_.Push(&key);
    }
    uint64_t size() const { return file_.size(); }
    void Rewind() {
      block_ = kNone;
      at_ = 0;
    }
    bool Has(const Key<W>& key) {
      size_t from = block_ == kNone ? 0 : block_;
      if (block_ == kNone || (from + 1 < first_.size() && !(key < first_[from + 1]))) {
        auto after = std::upper_bound(first_.begin() + static_cast<std::ptrdiff_t>(from), first_.end(), key);
        if (after == first_.begin()) return false;
        Load(static_cast<size_t>(after - first_.begin()) - 1);
      }
      while (at_ < keys_.size() && keys_[at_] < key) ++at_;
      return at_ < keys_.size() && keys_[at_] == key;
    }
    // All keys in order.
    template <typename Each>
    void ForEach(const Each& each) {
      for (size_t block = 0; block < first_.size(); ++block) {
        Load(block);
        for (const Key<W>& key : keys_) each(key);
      }
    }
    size_t blocks() const { return first_.size(); }
    const std::vector<Key<W>>& Block(size_t block) {
      Load(block);
      return keys_;
    }

   private:
    static constexpr size_t kBlock = (size_t{1} << 13) / W;
    static constexpr size_t kNone = ~size_t{0};
    void Load(size_t block) {
      block_ = block;
      at_ = 0;
      keys_.resize(std::min<uint64_t>(kBlock, file_.size() - block * kBlock));
      file_.Read(block * kBlock, keys_.size(), keys_.data());
    }
    RecordFile file_;
    std::vector<Key<W>> first_;
    std::vector<Key<W>> keys_;  // of the block that was read last
    size_t block_ = kNone;
    size_t at_ = 0;
  };

  // Candidates in order: from a file, or from the buffer.
  struct Source {
    explicit Source(RecordFile& from) : file(&from), left(from.size()) {}
    explicit Source(const std::vector<Candidate>& from) : memory(&from), left(from.size()) {}
    bool Next() {
      if (left == 0) return false;
      if (file != nullptr && next == block.size()) {
        block.resize(std::min<uint64_t>(kBlock, left));
        file->Read(file->size() - left, block.size(), block.data());
        next = 0;
      }
      at = file != nullptr ? block[next++] : (*memory)[memory->size() - left];
      --left;
      return true;
    }
    static constexpr size_t kBlock = 4096;
    RecordFile* file = nullptr;
    const std::vector<Candidate>* memory = nullptr;
    uint64_t left;
    std::vector<Candidate> block;
    size_t next = 0;
    Candidate at{};
  };

  void WriteCandidates() {
    std::sort(buffer_.begin(), buffer_.end());
    RecordFile file(folder_.NewFile(), sizeof(Candidate));
    for (const Candidate& candidate : buffer_) file.Push(&candidate);
    candidates_.push_back(std::move(file));
    buffer_.clear();
    NotePeak();
  }

  void AddRun(Run run) {
    seen_.push_back(std::move(run));
    NotePeak();
    while (seen_.size() > 1 && seen_[seen_.size() - 2].size() < 2 * seen_.back().size()) {
      Run merged = Merge(seen_[seen_.size() - 2], seen_.back());
      NotePeak(merged.size() * sizeof(Key<W>));
      seen_.pop_back();
      seen_.back() = std::move(merged);
    }
  }

  Run Merge(Run& a, Run& b) {
    Run out(folder_.NewFile());
    size_t block = 0;
    std::vector<Key<W>> keys;
    size_t at = 0;
    auto refill = [&] {
      if (at < keys.size()) return true;
      if (block == a.blocks()) return false;
      keys = a.Block(block++);
      at = 0;
      return true;
    };
    b.ForEach([&](const Key<W>& key) {
      while (refill() && keys[at] < key) out.Push(keys[at++]);
      out.Push(key);
    });
    while (refill()) out.Push(keys[at++]);
    return out;
  }

  void NotePeak(uint64_t more = 0) {
    for (const Run& run : seen_) more += run.size() * sizeof(Key<W>);
    for (const RecordFile& file : candidates_) more += file.size() * sizeof(Candidate);
    peak_ = std::max(peak_, more);
  }

  ScratchFolder folder_;
  uint64_t most_candidates_;
  uint64_t most_recent_;
  StateTable<W> recent_;
  std::vector<Candidate> buffer_;
  std::vector<RecordFile> candidates_;
  std::vector<Run> seen_;
  uint64_t peak_ = 0;
};

}  // namespace heddle::csp
