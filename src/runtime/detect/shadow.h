// Where the shadow of an address lies. The address space is cut into regions of 1 GiB; the shadow of a region is
// reserved when something in it is first touched, and pages of it exist only once they are used. So any layout of the
// address space works: position independent or not, randomised to any degree, with huge mappings that nobody touches.
//
// A region has three shadows: cells (four planes of one cell for each word of 8 bytes, so that words with one cell
// stay dense), the synchronisation object of a word (4 bytes a word), and
// the allocation that begins at a granule of 16 bytes (8 bytes). A map of its pages says which have synchronisation
// objects, so that freeing a large block does not look at every word.
#pragma once

#include <cstdint>

#include "base/inline_filter.h"
#include "runtime/detect/cell.h"

namespace heddle::rt::detect {

inline constexpr uint32_t kRegionShift = kCellRegionShift;
inline constexpr uint64_t kRegionBytes = uint64_t{1} << kRegionShift;
inline constexpr uint64_t kRegions = kCellRegions;

struct Region {
  Cell* cells;
  uint32_t* objects;
  uint64_t* blocks;        // size and depot node of the block that begins there (heap.cpp)
  uint64_t* object_pages;  // a bit for each 4 KiB
};

// By region number; null: not reserved yet.
extern Cell** g_cells;
// The same for code of the pass plugin, or a table in which nothing is reserved, so that every access calls. Never
// null.
extern Cell** g_inline_cells __asm__("__heddle_cells") __attribute__((visibility("default")));
void HideCells();
extern Region** g_regions;

// Set while no region may be made here, because the process is about to be put back to an earlier state: asks for it
// instead, and does not return.
extern void (*g_region_wanted)(uint64_t address);

bool StartShadow();

constexpr bool InShadow(uint64_t address) { return address < uint64_t{1} << 47U; }

// The region of an address; null when nothing in it was ever touched.
inline Region* RegionIfTouched(uint64_t address) {
  return InShadow(address) ? __atomic_load_n(&g_regions[address >> kRegionShift], __ATOMIC_ACQUIRE) : nullptr;
}
// The same, reserved if need be; null (with one message) when the system refuses.
Region* ReserveRegion(uint64_t address);
inline Region* RegionOf(uint64_t address) {
  Region* region = RegionIfTouched(address);
  return region != nullptr ? region : ReserveRegion(address);
}

inline Cell* CellsIfTouched(uint64_t address) {
  Cell* cells = __atomic_load_n(&g_cells[address >> kRegionShift], __ATOMIC_ACQUIRE);
  return cells == nullptr ? nullptr : cells + ((address & (kRegionBytes - 1)) >> 3U);
}

// Before the first cell of a word is written for the first time: asks for the pages of a whole chunk of cells, and of
// several when the chunk before has them. A page that is looked at before it is written costs two faults, and with the
// second every processor that runs the program is interrupted.
inline constexpr uint32_t kChunkShift = 14;  // of the program's memory, and as much of its first cells
extern uint64_t* g_prepared;                 // a bit for each chunk
inline bool IsPrepared(uint64_t address) {
  uint64_t chunk = address >> kChunkShift;
  return (__atomic_load_n(&g_prepared[chunk / 64], __ATOMIC_RELAXED) >> (chunk % 64) & 1U) != 0;
}
void PrepareCells(uint64_t address);

// Forgets every access to [begin, begin + bytes). Words at the edges that the range holds only in part are forgotten as
// a whole: allocators do not share words.
void ForgetCells(uint64_t begin, uint64_t bytes);

// The bytes [begin, begin + bytes) are nobody's; the rest of their words was not accessed yet.
void GuardCells(uint64_t begin, uint64_t bytes);
// Whether the word of the address was given back and has no new owner, or is nobody's.
bool IsFreed(uint64_t address);

// Calls `visit(word)` for words of the range that have a synchronisation object.
void VisitObjects(uint64_t begin, uint64_t bytes, void (*visit)(uint64_t word));

}  // namespace heddle::rt::detect
