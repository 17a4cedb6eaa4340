// Where the shadow of an address lies. The address space is cut into regions of 1 GiB; the shadow of a region is
// reserved when something in it is first touched, and pages of it exist only once they are used. So any layout of the
// address space works: position independent or not, randomised to any degree, with huge mappings that nobody touches.
//
// A region has three shadows: cells (32 bytes a word of 8), the synchronisation object of a word (4 bytes a word), and
// the allocation that begins at a granule of 16 bytes (8 bytes). A map of its pages says which have synchronisation
// objects, so that freeing a large block does not look at every word.
#pragma once

#include <cstdint>

#include "runtime/detect/cell.h"

namespace heddle::rt::detect {

inline constexpr uint32_t kRegionShift = 30;
inline constexpr uint64_t kRegionBytes = uint64_t{1} << kRegionShift;
inline constexpr uint64_t kRegions = uint64_t{1} << (47U - kRegionShift);

struct Region {
  Cell* cells;
  uint32_t* objects;
  uint64_t* blocks;        // size and depot node of the block that begins there (heap.cpp)
  uint64_t* object_pages;  // a bit for each 4 KiB
};

extern Cell** g_cells;  // by region number; null: not reserved yet

bool StartShadow();

// The region of an address below 2^47, reserved if need be; null (with one message) when the system refuses.
Region* RegionOf(uint64_t address);
// The same, null when nothing in the region was ever touched.
Region* RegionIfTouched(uint64_t address);

inline Cell* CellsIfTouched(uint64_t address) {
  Cell* cells = __atomic_load_n(&g_cells[address >> kRegionShift], __ATOMIC_ACQUIRE);
  return cells == nullptr ? nullptr : cells + ((address & (kRegionBytes - 1)) >> 3U) * kCellsPerWord;
}

constexpr bool InShadow(uint64_t address) { return address < uint64_t{1} << 47U; }

// Forgets every access to [begin, begin + bytes). Words at the edges that the range holds only in part are forgotten as
// a whole: allocators do not share words.
void ForgetCells(uint64_t begin, uint64_t bytes);

// Calls `visit(word)` for words of the range that have a synchronisation object.
void VisitObjects(uint64_t begin, uint64_t bytes, void (*visit)(uint64_t word));

}  // namespace heddle::rt::detect
