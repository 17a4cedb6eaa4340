// Names of a text to dense numbers, in order of first use. The tables of importers: millions of look-ups a second.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace {

struct TraceInfo;

class NameTable {
 public:
  NameTable() : table_(256) {}

  // The name's number; `added` tells whether it is new.
  uint32_t Number(std::string_view name, bool* added);
  uint32_t size() const { return static_cast<uint32_t>(names_.size()); }
  const std::string& name(uint32_t number) const { return names_[number]; }

 private:
  // A name of at most 8 bytes without a zero is its own key: the bytes as a number. Others have a hash.
  struct Entry {
    uint64_t key = 0;
    uint32_t number_plus_1 = 0;  // 0: free
    bool short_name = false;
  };
  static bool ShortKey(std::string_view name, uint64_t* key);
  static size_t Place(uint64_t key) { return static_cast<size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32U); }
  void Grow();

  std::vector<Entry> table_;  // a power of two, at most half full
  std::deque<std::string> names_;
};

// The objects and threads of a text format that has names: numbers for threads, addresses for objects, all described in
// `info` as they come up.
class NamedObjects {
 public:
  explicit NamedObjects(TraceInfo* info) : info_(info) {}

  uint32_t Thread(std::string_view name);
  // Variables are 8 bytes long and do not touch each other; locks are elsewhere, even with the same name.
  uint64_t Variable(std::string_view name) { return Object(&variables_, kVariables, name); }
  uint64_t Lock(std::string_view name) { return Object(&locks_, kLocks, name); }

  static constexpr uint8_t kVariableBytes = 8;

 private:
  static constexpr uint64_t kVariables = uint64_t{1} << 44U;
  static constexpr uint64_t kLocks = uint64_t{2} << 44U;
  uint64_t Object(NameTable* table, uint64_t base, std::string_view name);

  TraceInfo* info_;
  NameTable threads_;
  NameTable variables_;
  NameTable locks_;
};

}  // namespace heddle::trace
