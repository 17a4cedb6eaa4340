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

Cell MaskOf(uint64_t at, uint64_t end) {
  uint64_t word_end = (at | 7U) + 1;
  uint64_t stop = end < word_end ? end : word_end;
  return ((Cell{1} << (stop - at)) - 1) << (at & 7U);
}

// An access that needs more than one cell of the word, out of line. The word is taken, `cell` is its first one.
__attribute__((noinline)) void EnterShared(DetectThread* self, Cell* cells, Cell cell, Cell mine, Cell bits,
                                           uint64_t word, const AccessRecord& access) {
  const Clock& now = self->order.now;
  auto clock = [&now](uint32_t slot) { return now.Get(slot); };
  Cell raced = UpdateWord<kCellsPerWord>(cells, kCellStride, cell, mine, bits, clock, ++self->victim);
  if (raced != 0) [[unlikely]]
    ReportRace(self, access, word, bits, raced);
}

// Before a cell tells of the access: whoever finds the cell finds this.
void Note(DetectThread* self, const AccessRecord& access) {
  self->history->Note(access.address, access.bytes, access.flags, access.pc, self->order.epoch, access.stack,
                      access.locks);
}

}  // namespace

void CheckAccess(DetectThread* self, uint64_t address, uint64_t bytes, uint8_t flags, uint64_t pc) {
  bool write = (flags & kAccessWrite) != 0;
  Cell mine = self->order.Segment() | ((flags & kAccessAtomic) != 0 ? kAtomicBit : 0);
  uint64_t end = address + bytes;
  if (end < address || !InShadow(end)) return;
  AccessRecord access{address, bytes, 0, flags, 0, self->locks};
  const Clock& now = self->order.now;
  auto clock = [&now](uint32_t slot) { return now.Get(slot); };
  Cell* cells = nullptr;
  for (uint64_t at = address; at < end; at = (at | 7U) + 1, ++cells) {
    if (cells == nullptr || (at & (kRegionBytes - 1)) == 0) cells = WordCells(at);
    if (cells == nullptr) return;
    Cell mask = (at & 7U) == 0 && end - at >= 8 ? 0xFF : MaskOf(at, end);
    Cell bits = AccessBits(mask, write);
    if (Seen<kCellsPerWord>(cells, kCellStride, mine, bits)) continue;
    if (access.pc == 0) {
      access.pc = pc;
      access.stack = CurrentStack();
      Note(self, access);
    }
    Cell first = LockWord(cells);
    Cell only = OnlyCell(first, mine, bits, clock);
    if (only != 0) {
      StoreCell(cells, only);
    } else {
      EnterShared(self, cells, first, mine, bits, at & ~uint64_t{7}, access);
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

// CheckPlain for an access that lies in one word. False: nothing was done.
template <bool kWrite, uint64_t kBytes>
inline bool EnterWord(uint64_t where, uint64_t pc) {
  Cell* base = g_cells[where >> kRegionShift & (kRegions - 1)];
  // An access that does not lie in one word has bits above the mask.
  constexpr Cell kMask = (Cell{1} << (kBytes % 64)) - 1;
  Cell mask = kMask << (where & 7U);
  Thread* thread = t_hot.thread;
  Frame* top = t_hot.top;
  if (base == nullptr || mask > 0xFF || thread == nullptr || t_hot.in_runtime != 0 || t_hot.ignore != 0) return false;
  DetectThread* self = thread->detect;
  if (self == nullptr || top <= t_hot.bottom || top > t_hot.limit || top[-1].node == 0) return false;
  Cell* cells = base + ((where & (kRegionBytes - 1)) >> 3U);
  Cell bits = AccessBits(mask, kWrite);
  Cell mine = __heddle_segment;
  if (Seen<kCellsPerWord>(cells, kCellStride, mine, bits)) return true;
  RuntimeScope scope;
  // Taken before the note is written: the atomic instruction waits for all stores before it.
  Cell first = LockWord(cells);
  AccessRecord access{where, kBytes, pc, kWrite ? kAccessWrite : uint8_t{0}, top[-1].node, self->locks};
  Note(self, access);
  const Clock& now = self->order.now;
  Cell only = OnlyCell(first, mine, bits, [&now](uint32_t slot) { return now.Get(slot); });
  if (only != 0) {
    StoreCell(cells, only);
  } else {
    EnterShared(self, cells, first, mine, bits, where & ~uint64_t{7}, access);
  }
  return true;
}

template <bool kWrite, uint32_t kLog>
void FreshAccess(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  auto where = reinterpret_cast<uint64_t>(address);
  if constexpr (kBytes <= 8) {
    if (EnterWord<kWrite, kBytes>(where, reinterpret_cast<uint64_t>(pc))) [[likely]]
      return;
  }
  CheckPlain(where, kBytes, kWrite ? kAccessWrite : 0, pc);
}

template <bool kWrite, uint32_t kLog>
void Access(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  auto where = reinterpret_cast<uint64_t>(address);
  Cell* base = g_cells[where >> kRegionShift & (kRegions - 1)];
  Cell mask = kBytes <= 8 ? ((Cell{1} << kBytes) - 1) << (where & 7U) : ~Cell{0};
  if (base != nullptr && mask <= 0xFF) [[likely]] {
    const Cell* cells = base + ((where & (kRegionBytes - 1)) >> 3U);
    if (Covers(LoadCell(cells), __heddle_segment, AccessBits(mask, kWrite))) [[likely]] {
      return;
    }
  }
  FreshAccess<kWrite, kLog>(address, pc);
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
