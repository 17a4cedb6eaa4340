// Plain accesses in detect mode. The hot path looks whether the word's first cell says already that this thread did
// the same in this epoch; then there is nothing to do. It takes no frame, no lock and no atomic instruction.
#include "runtime/detect/access.h"

#include "runtime/detect/cell.h"
#include "runtime/detect/race_report.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/state.h"
#include "runtime/mode.h"
#include "runtime/threads/shadow_stack.h"

namespace heddle::rt {
namespace detect {
namespace {

Cell* WordCells(uint64_t address) {
  Cell* cells = CellsIfTouched(address);
  if (cells != nullptr) [[likely]]
    return cells;
  return RegionOf(address) == nullptr ? nullptr : CellsIfTouched(address);
}

inline bool Seen(const Cell* cells, Cell mine, Cell bits) {
  for (uint32_t i = 0; i < kCellsPerWord; ++i) {
    Cell cell = LoadCell(&cells[i * kCellStride]);
    if (Covers(cell, mine, bits)) return true;
    if (cell == 0 || (cell & kLastBit) != 0) return false;
  }
  return false;
}

Cell MaskOf(uint64_t at, uint64_t end) {
  uint64_t word_end = (at | 7U) + 1;
  uint64_t stop = end < word_end ? end : word_end;
  return ((Cell{1} << (stop - at)) - 1) << (at & 7U);
}

}  // namespace

void CheckAccess(DetectThread* self, uint64_t address, uint64_t bytes, uint8_t flags, uint64_t pc) {
  bool write = (flags & kAccessWrite) != 0;
  Cell mine = self->order.Segment() | ((flags & kAccessAtomic) != 0 ? kAtomicBit : 0);
  uint64_t end = address + bytes;
  if (end < address || !InShadow(end)) return;
  bool noted = false;
  for (uint64_t at = address; at < end; at = (at | 7U) + 1) {
    Cell bits = AccessBits(MaskOf(at, end), write);
    Cell* cells = WordCells(at);
    if (cells == nullptr) return;
    if (Seen(cells, mine, bits)) continue;
    if (!noted) {
      // Before the cell is there: whoever finds the cell finds this.
      self->history->Note(address, bytes, flags, pc, self->order.epoch, CurrentStack(), self->locks);
      noted = true;
    }
    const Clock& now = self->order.now;
    Cell raced = UpdateWord<kCellsPerWord>(
        cells, kCellStride, mine, bits, [&now](uint32_t slot) { return now.Get(slot); }, ++self->victim);
    if (raced != 0) [[unlikely]] {
      ReportRace(self, {address, bytes, pc, flags, CurrentStack(), self->locks}, at & ~uint64_t{7}, bits, raced);
    }
  }
}

namespace {

__attribute__((noinline)) void CheckPlain(uint64_t address, uint64_t bytes, uint8_t flags, void* pc) {
  if (t_hot.in_runtime != 0 || t_hot.ignore != 0 || bytes == 0) return;
  DetectThread* self = Self();
  if (self == nullptr) return;
  RuntimeScope scope;
  CheckAccess(self, address, bytes, flags, reinterpret_cast<uint64_t>(pc));
}

template <bool kWrite, uint32_t kLog>
void FreshAccess(void* address, void* pc) {
  CheckPlain(reinterpret_cast<uint64_t>(address), uint64_t{1} << kLog, kWrite ? kAccessWrite : 0, pc);
}

template <bool kWrite, uint32_t kLog>
void Access(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  uint64_t where = reinterpret_cast<uint64_t>(address);
  Cell* base = g_cells[where >> kRegionShift & (kRegions - 1)];
  // An access that does not lie in one word has bits above the mask.
  Cell mask = kBytes <= 8 ? ((Cell{1} << kBytes) - 1) << (where & 7U) : ~Cell{0};
  if (base != nullptr && mask <= 0xFF) [[likely]] {
    const Cell* cells = base + ((where & (kRegionBytes - 1)) >> 3U);
    if (Covers(LoadCell(cells), __heddle_segment, AccessBits(mask, kWrite))) [[likely]] {
      return;
    }
  }
  CheckPlain(where, kBytes, kWrite ? kAccessWrite : 0, pc);
}

template <bool kWrite>
void RangeAccess(void* address, uint64_t bytes, void* pc) {
  CheckPlain(reinterpret_cast<uint64_t>(address), bytes, kWrite ? kAccessWrite : 0, pc);
}

}  // namespace
}  // namespace detect

const AccessTable kDetectAccess = {
    {detect::FreshAccess<false, 0>, detect::FreshAccess<false, 1>, detect::FreshAccess<false, 2>,
     detect::FreshAccess<false, 3>, detect::FreshAccess<false, 4>},
    {detect::FreshAccess<true, 0>, detect::FreshAccess<true, 1>, detect::FreshAccess<true, 2>,
     detect::FreshAccess<true, 3>, detect::FreshAccess<true, 4>},
    {detect::Access<false, 0>, detect::Access<false, 1>, detect::Access<false, 2>, detect::Access<false, 3>,
     detect::Access<false, 4>},
    {detect::Access<true, 0>, detect::Access<true, 1>, detect::Access<true, 2>, detect::Access<true, 3>,
     detect::Access<true, 4>},
    detect::Access<false, 3>,
    detect::Access<true, 3>,
    detect::RangeAccess<false>,
    detect::RangeAccess<true>,
    FunctionEntry,
    FunctionExit,
};

}  // namespace heddle::rt
