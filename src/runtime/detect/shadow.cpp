#include "runtime/detect/shadow.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {

namespace {
Cell* g_no_regions[kRegions];  // until detection starts: nothing is known, everything calls
}
Cell** g_cells = nullptr;
Cell** g_inline_cells = g_no_regions;
Region** g_regions = nullptr;
uint64_t* g_prepared = nullptr;
void (*g_region_wanted)(uint64_t address) = nullptr;

namespace {

SpinLock g_reserve_lock;
bool g_refused = false;

constexpr uint64_t kPageShift = 12;
constexpr uint64_t kCellBytes = (kCellStride * kCellsPerWord * sizeof(Cell) + 4095) & ~uint64_t{4095};
constexpr uint64_t kObjectBytes = kRegionBytes / 8 * sizeof(uint32_t);
constexpr uint64_t kBlockBytes = kRegionBytes / 16 * sizeof(uint64_t);
constexpr uint64_t kPageMapBytes = (kRegionBytes >> kPageShift) / 8;
constexpr uint64_t kChunks = uint64_t{1} << (47U - kChunkShift);
constexpr uint64_t kChunksAhead = 4;

// Large ranges are given back to the system instead of being overwritten.
constexpr uint64_t kGiveBack = uint64_t{64} << 10U;

Region* Reserve(uint64_t number) {
  SpinHolder hold(g_reserve_lock);
  if (g_regions[number] != nullptr || g_refused) return g_regions[number];
  if (g_region_wanted != nullptr) g_region_wanted(number << kRegionShift);
  auto* base = static_cast<char*>(MapPages(kCellBytes + kObjectBytes + kBlockBytes + kPageMapBytes + sizeof(Region)));
  if (base == nullptr) {
    g_refused = true;
    Message(
        "cannot reserve the shadow of the program's memory; accesses there are not checked (address space limited "
        "by ulimit -v, or overcommit set to 2?)");
    return nullptr;
  }
  char* objects = base + kCellBytes;
  char* blocks = objects + kObjectBytes;
  char* pages = blocks + kBlockBytes;
  auto* region = reinterpret_cast<Region*>(pages + kPageMapBytes);
  *region = {reinterpret_cast<Cell*>(base) + kCellStagger, reinterpret_cast<uint32_t*>(objects),
             reinterpret_cast<uint64_t*>(blocks), reinterpret_cast<uint64_t*>(pages)};
  // The cells first: who finds the region looks for them next, and would take "none" for "not reserved".
  __atomic_store_n(&g_cells[number], region->cells, __ATOMIC_RELEASE);
  __atomic_store_n(&g_regions[number], region, __ATOMIC_RELEASE);
  return region;
}

constexpr uint64_t kPage = 4096;

void ForgetPlane(Cell* cells, uint64_t words) {
  char* begin = reinterpret_cast<char*>(cells);
  uint64_t bytes = words * sizeof(Cell);
  uint64_t first = (reinterpret_cast<uint64_t>(begin) + kPage - 1) & ~(kPage - 1);
  uint64_t last = (reinterpret_cast<uint64_t>(begin) + bytes) & ~(kPage - 1);
  uint64_t head = first - reinterpret_cast<uint64_t>(begin);
  Sys(SYS_madvise, first, last - first, MADV_DONTNEED);
  memset(begin, 0, head);
  memset(begin + head + (last - first), 0, bytes - head - (last - first));
}

// The pages of these cells were given back.
void ForgetPrepared(uint64_t begin, uint64_t end) {
  for (uint64_t chunk = begin >> kChunkShift; chunk <= (end - 1) >> kChunkShift; ++chunk) {
    __atomic_fetch_and(&g_prepared[chunk / 64], ~(uint64_t{1} << (chunk % 64)), __ATOMIC_RELAXED);
  }
}

void ForgetWords(Cell* cells, uint64_t words) {
  if (words * sizeof(Cell) >= kGiveBack) {
    for (uint32_t plane = 0; plane < kCellsPerWord; ++plane) ForgetPlane(cells + plane * kCellStride, words);
    return;
  }
  for (uint64_t word = 0; word < words; ++word) {
    if (LoadCell(&cells[word]) != 0) StoreCell(&cells[word], 0);  // the planes behind are not reached then
  }
}

}  // namespace

bool StartShadow() {
  g_cells = static_cast<Cell**>(MapPages(kRegions * sizeof(Cell*)));
  g_regions = static_cast<Region**>(MapPages(kRegions * sizeof(Region*)));
  g_prepared = static_cast<uint64_t*>(MapPages(kChunks / 8));
  if (g_cells == nullptr || g_regions == nullptr || g_prepared == nullptr) return false;
  g_inline_cells = g_cells;
  return true;
}

void HideCells() { g_inline_cells = g_no_regions; }

Region* ReserveRegion(uint64_t address) { return InShadow(address) ? Reserve(address >> kRegionShift) : nullptr; }

void PrepareCells(uint64_t address) {
  Cell* cells = CellsIfTouched(address);
  if (cells == nullptr || IsPrepared(address)) return;
  uint64_t chunk = address >> kChunkShift;
  uint64_t in_region = (address & (kRegionBytes - 1)) >> kChunkShift;
  uint64_t count = in_region > 0 && IsPrepared(address - (uint64_t{1} << kChunkShift)) ? kChunksAhead : 1;
  uint64_t room = (kRegionBytes >> kChunkShift) - in_region;
  if (count > room) count = room;
  for (uint64_t i = chunk; i < chunk + count; ++i) {
    __atomic_fetch_or(&g_prepared[i / 64], uint64_t{1} << (i % 64), __ATOMIC_RELAXED);
  }
  uint64_t words = (address & ((uint64_t{1} << kChunkShift) - 1)) / 8;
  AskForPages(reinterpret_cast<uint64_t>(cells - words), count << kChunkShift);
}

void ForgetCells(uint64_t begin, uint64_t bytes) {
  uint64_t end = begin + bytes;
  if (end > uint64_t{1} << 47U || end < begin) end = uint64_t{1} << 47U;
  for (uint64_t at = begin & ~uint64_t{7}; at < end;) {
    uint64_t region_end = (at | (kRegionBytes - 1)) + 1;
    uint64_t stop = end < region_end ? end : region_end;
    Cell* cells = CellsIfTouched(at);
    if (cells != nullptr) {
      ForgetWords(cells, (stop - at + 7) / 8);
      if (stop - at >= kGiveBack) ForgetPrepared(at, stop);
    }
    at = region_end;
  }
}

void GuardCells(uint64_t begin, uint64_t bytes) {
  uint64_t end = begin + bytes;
  for (uint64_t at = begin & ~uint64_t{7}; at < end; at += 8) {
    Cell mask = 0xFF;
    if (at < begin) mask &= Cell{0xFF} << (begin - at);
    if (at + 8 > end) mask &= Cell{0xFF} >> (at + 8 - end);
    Cell* cells = CellsIfTouched(at);
    if (cells != nullptr) StoreCell(cells, GuardCell(mask));
  }
}

bool IsFreed(uint64_t address) {
  if (!InShadow(address)) return false;
  const Cell* cells = CellsIfTouched(address);
  return cells != nullptr && IsFreedCell(LoadCell(cells));
}

void VisitObjects(uint64_t begin, uint64_t bytes, void (*visit)(uint64_t word)) {
  uint64_t end = begin + bytes;
  if (end > uint64_t{1} << 47U || end < begin) end = uint64_t{1} << 47U;
  for (uint64_t at = begin & ~uint64_t{7}; at < end;) {
    uint64_t page_end = (at | ((uint64_t{1} << kPageShift) - 1)) + 1;
    Region* region = RegionIfTouched(at);
    if (region == nullptr) {
      at = (at | (kRegionBytes - 1)) + 1;
      continue;
    }
    uint64_t page = (at & (kRegionBytes - 1)) >> kPageShift;
    uint64_t group = __atomic_load_n(&region->object_pages[page / 64], __ATOMIC_RELAXED);
    if (group == 0 && page % 64 == 0) {
      at += uint64_t{64} << kPageShift;
      continue;
    }
    if ((group >> (page % 64) & 1U) != 0) {
      for (uint64_t word = at; word < end && word < page_end; word += 8) {
        if (__atomic_load_n(&region->objects[(word & (kRegionBytes - 1)) >> 3U], __ATOMIC_RELAXED) != 0) visit(word);
      }
    }
    at = page_end;
  }
}

}  // namespace heddle::rt::detect
