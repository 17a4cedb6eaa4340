// What the process's memory held at one moment, to bring it back again and again: the restart of a search without fork
// (docs/explore.md, "Restart").
//
// Take() makes every private writable page read-only. The first write to a page comes to Fault(), in the handler of
// SIGSEGV, which keeps a copy of the page and lets the write happen. Restore() copies the kept pages back and leaves
// them writable: pages that were written once will be written again, so after a few rounds there are no faults, and a
// restore costs one copy of what a round writes. Pages that were all zero are filled with zeros and take no room.
//
// Invariant: outside a round, every page of the regions holds what it held at Take(). Not brought back: mappings that
// are shared, and the snapshot itself, which lies in a mapping of its own. Nothing may be mapped, unmapped or given
// back to the system in a round; the kernel must not be asked to write to a page that is still read-only (it says
// EFAULT). Both are for the caller to see to (control/search/in_place.h). One thread; no allocation, no TLS.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::rt {

class Snapshot {
 public:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint32_t kMaxPages = 1U << 16U;  // of one round and the ones before: 256 MiB

  // Null when there is no memory for it.
  static Snapshot* Make();
  void Discard();  // frees the snapshot itself

  // Pages of the caller's own that are left alone; before Take.
  void Spare(const void* begin, size_t bytes);
  // False when the list of mappings cannot be read or protected. `busy`: in a page that is never read-only, because the
  // kernel writes there.
  bool Take(const void* busy);
  // Makes all pages writable again.
  void Release();

  // Whether `address` was in a page that is writable now and was not before. False: the fault is not ours, or kMaxPages
  // are kept already (full()).
  bool Fault(uint64_t address);
  void Restore();
  // The aligned word is from now on restored to what it is now. Of pages that were zero: no.
  void KeepWord(uint64_t address);
  // In place of madvise(MADV_DONTNEED), which would go unnoticed: fills with zeros. Whole pages.
  void Zero(uint64_t begin, uint64_t bytes);

  uint32_t pages() const { return page_count_; }
  bool full() const { return page_count_ == kMaxPages; }

 private:
  struct Region {
    uint64_t begin;
    uint64_t end;
    int protection;
  };
  struct Page {
    uint64_t at;
    uint64_t* kept;  // null: it was zero
  };
  static constexpr uint32_t kMaxSpared = 8;
  static constexpr uint32_t kMaxRegions = 4096;
  static constexpr uint32_t kTable = 1U << 17U;  // twice kMaxPages
  static constexpr size_t kTextBytes = size_t{1} << 20U;

  bool ReadRegions();
  void AddWithoutSpared(uint64_t begin, uint64_t end, int protection);
  void AddRegion(uint64_t begin, uint64_t end, int protection);
  const Region* RegionOf(uint64_t at) const;
  uint32_t* Find(uint64_t page);  // its place in the table
  void Keep(uint64_t page);
  long ReadMaps();

  uint32_t region_count_;
  uint32_t spared_count_;
  uint64_t spared_[kMaxSpared][2];  // sorted
  uint32_t page_count_;
  uint64_t* room_;  // the next free copy
  Region regions_[kMaxRegions];
  Page pages_[kMaxPages];
  uint32_t table_[kTable];  // index of pages_ plus one
  char text_[kTextBytes];
  alignas(4096) uint64_t copies_[uint64_t{kMaxPages} * kPage / sizeof(uint64_t)];
};

}  // namespace heddle::rt
