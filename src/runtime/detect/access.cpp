// Plain accesses in detect mode. The hot path looks whether the word's first cell says already that this thread did
// the same in this epoch; then there is nothing to do. It takes no frame, no lock and no atomic instruction.
#include "runtime/detect/access.h"

#include "runtime/detect/cell.h"
#include "runtime/detect/dead_stacks.h"
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

// Before a cell tells of the access: whoever finds the cell finds this.
inline void Note(DetectThread* self, const AccessRecord& access) {
  self->history->Note(access.address, access.bytes, access.flags, access.pc, self->order.epoch, access.stack,
                      access.locks);
}

// An access that needs more than one cell of the word, out of line. The word is taken, `cell` is its first one. Returns
// a cell that races with it, or 0.
__attribute__((noinline)) Cell EnterShared(DetectThread* self, Cell* cells, Cell cell, Cell mine, Cell bits) {
  const Clock& now = self->order.now;
  auto clock = [&now](uint32_t slot) { return now.Get(slot); };
  return UpdateWord<kCellsPerWord>(cells, kCellStride, cell, mine, bits, clock, ++self->victim);
}

// The access `bits` of the segment `mine`, which the word does not have yet. The word is taken, `first` is its first
// cell, and the access is noted.
template <typename MakeAccess>
inline void EnterNoted(DetectThread* self, Cell* cells, Cell first, Cell mine, Cell bits, uint64_t word,
                       MakeAccess access) {
  const Clock& now = self->order.now;
  Cell only = OnlyCell(first, mine, bits, [&now](uint32_t slot) { return now.Get(slot); });
  if (only != 0) [[likely]]
    return StoreCell(cells, only);
  Cell raced = EnterShared(self, cells, first, mine, bits);
  if (raced != 0) [[unlikely]]
    ReportRace(self, access(), word, bits, raced);
}

// The same, noted when the word is taken: the atomic instruction waits for all stores before it.
template <typename MakeAccess>
inline void EnterCells(DetectThread* self, Cell* cells, Cell mine, Cell bits, uint64_t word, MakeAccess access) {
  Cell first = LockWord(cells);
  Note(self, access());
  EnterNoted(self, cells, first, mine, bits, word, access);
}

}  // namespace

void CheckAccess(DetectThread* self, uint64_t address, uint64_t bytes, uint8_t flags, uint64_t pc) {
  bool write = (flags & kAccessWrite) != 0;
  Cell mine = self->order.Segment() | ((flags & kAccessAtomic) != 0 ? kAtomicBit : 0);
  uint64_t end = address + bytes;
  if (end < address || !InShadow(end)) return;
  AccessRecord access{address, bytes, 0, flags, 0, self->locks};
  if (MayBeDead(address)) [[unlikely]]
    CheckDeadStack(self, {address, bytes, pc, flags, CurrentStack(), self->locks});
  const Cell whole = AccessBits(0xFF, write);
  Cell* cells = nullptr;
  for (uint64_t at = address; at < end; at = (at | 7U) + 1, ++cells) {
    if (cells == nullptr || (at & (kRegionBytes - 1)) == 0) cells = WordCells(at);
    if (cells == nullptr) return;
    Cell bits = (at & 7U) == 0 && end - at >= 8 ? whole : AccessBits(MaskOf(at, end), write);
    if (Seen<kCellsPerWord>(cells, kCellStride, mine, bits)) continue;
    if (LoadCell(cells) == 0 && !IsPrepared(at)) PrepareCells(at);
    if (access.pc == 0) {
      access.pc = pc;
      access.stack = CurrentStack();
      Note(self, access);
    }
    EnterNoted(self, cells, LockWord(cells), mine, bits, at & ~uint64_t{7}, [&] { return access; });
  }
}

void CheckFree(DetectThread* self, uint64_t address, uint64_t bytes, uint64_t pc) {
  const Clock& now = self->order.now;
  auto clock = [&now](uint32_t slot) { return now.Get(slot); };
  AccessRecord access{address, bytes, pc, kAccessWrite | kAccessFree, CurrentStack(), self->locks};
  Note(self, access);
  uint64_t end = address + bytes;
  Cell* cells = nullptr;
  for (uint64_t at = address; at < end; at = (at | 7U) + 1, ++cells) {
    if (cells == nullptr || (at & (kRegionBytes - 1)) == 0) cells = CellsIfTouched(at);
    if (cells == nullptr) return;
    Cell bits = AccessBits(MaskOf(at, end), true);
    Cell raced = FreeWord<kCellsPerWord>(cells, kCellStride, LockWord(cells), self->order.Segment(), bits, clock);
    if (raced != 0) [[unlikely]]
      ReportRace(self, access, at & ~uint64_t{7}, bits, raced);
  }
}

void CheckAtomic(DetectThread* self, uint64_t address, uint32_t bytes, bool write, uint64_t pc) {
  auto flags = static_cast<uint8_t>(kAccessAtomic | (write ? kAccessWrite : 0U));
  bool in_word = (address & 7U) + bytes <= 8 && InShadow(address) && !MayBeDead(address);
  Cell* cells = in_word ? WordCells(address) : nullptr;
  if (cells == nullptr) return CheckAccess(self, address, bytes, flags, pc);
  Cell mine = self->order.Segment() | kAtomicBit;
  Cell bits = AccessBits(((Cell{1} << bytes) - 1) << (address & 7U), write);
  if (Seen<kCellsPerWord>(cells, kCellStride, mine, bits)) return;
  AccessRecord access{address, bytes, pc, flags, CurrentStack(), self->locks};
  bool shared = (LoadCell(cells) & kLastBit) == 0;
  if (shared && RefreshAtomic<kCellsPerWord>(cells, kCellStride, mine, bits, [&] { Note(self, access); })) return;
  EnterCells(self, cells, mine, bits, address & ~uint64_t{7}, [&] { return access; });
}

namespace {

__attribute__((noinline)) void CheckPlain(uint64_t address, uint64_t bytes, uint8_t flags, void* pc) {
  if (t_hot.in_runtime != 0 || t_hot.ignore != 0 || bytes == 0) return;
  DetectThread* self = Self();
  if (self == nullptr) return;
  RuntimeScope scope;
  CheckAccess(self, address, bytes, flags, reinterpret_cast<uint64_t>(pc));
}

// The bits of an access within its word; those above 0xFF lie in the next word.
template <uint64_t kBytes>
inline Cell ReachOf(uint64_t where) {
  return ((Cell{1} << (kBytes % 64)) - 1) << (where & 7U);
}

// The stack is known.
template <bool kWrite, uint64_t kBytes>
AccessRecord RecordOf(uint64_t where, void* pc, const DetectThread* self) {
  uint8_t flags = kWrite ? kAccessWrite : 0;
  return {where, kBytes, reinterpret_cast<uint64_t>(pc), flags, t_hot.top[-1].node, self->locks};
}

// What remains of EnterWord when one cell is not enough. The word is taken and the access noted; here the scope ends.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline)) void EnterTaken(uint64_t where, void* pc, Cell* cells, Cell first, DetectThread* self) {
  Cell bits = AccessBits(ReachOf<kBytes>(where), kWrite);
  Cell raced = EnterShared(self, cells, first, __heddle_segment, bits);
  if (raced != 0) [[unlikely]]
    ReportRace(self, RecordOf<kWrite, kBytes>(where, pc, self), where & ~uint64_t{7}, bits, raced);
  RuntimeScope::Leave();
}
// Another thread has the word: the same once it is free.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline, cold)) void EnterLater(uint64_t where, void* pc, Cell* cells, DetectThread* self) {
  Cell first = WaitForWord(cells);
  Note(self, RecordOf<kWrite, kBytes>(where, pc, self));
  EnterTaken<kWrite, kBytes>(where, pc, cells, first, self);
}

// CheckPlain for an access that lies in one word, which does not have it. Whatever it calls is the last thing that it
// does, so it needs no frame: most words have one cell before and after. The access is noted while the word is taken:
// the exchange would wait for the stores of noting.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline)) void EnterWord(uint64_t where, void* pc, Cell* cells) {
  Thread* thread = t_hot.thread;
  Frame* top = t_hot.top;
  bool watched = thread != nullptr && (t_hot.in_runtime | t_hot.ignore) == 0 && thread->detect != nullptr;
  if (!watched || MayBeDead(where) || top <= t_hot.bottom || top > t_hot.limit || top[-1].node == 0) [[unlikely]]
    return CheckPlain(where, kBytes, kWrite ? kAccessWrite : 0, pc);
  DetectThread* self = thread->detect;
  RuntimeScope::Enter();
  Cell first = __atomic_exchange_n(cells, kLockedCell, __ATOMIC_ACQUIRE);
  if (first == kLockedCell) [[unlikely]]
    return EnterLater<kWrite, kBytes>(where, pc, cells, self);
  Note(self, RecordOf<kWrite, kBytes>(where, pc, self));
  const Clock& now = self->order.now;
  Cell only = OnlyCell(first, __heddle_segment, AccessBits(ReachOf<kBytes>(where), kWrite),
                       [&now](uint32_t slot) { return now.Get(slot); });
  if (only == 0) return EnterTaken<kWrite, kBytes>(where, pc, cells, first, self);
  StoreCell(cells, only);
  RuntimeScope::Leave();
}

// An access that may reach into a second word, or of 16 bytes.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline)) void FreshInTwo(uint64_t where, void* pc, const Cell* base) {
  if (kBytes <= 8 && base != nullptr && ((where + 8) & (kRegionBytes - 1)) >= 8) {
    const Cell* cells = base + ((where & (kRegionBytes - 1)) >> 3U);
    Cell reach = ReachOf<kBytes>(where);
    if (Seen<kCellsPerWord>(cells, kCellStride, __heddle_segment, AccessBits(reach & 0xFF, kWrite)) &&
        Seen<kCellsPerWord>(cells + 1, kCellStride, __heddle_segment, AccessBits(reach >> 8U, kWrite)))
      return;
  }
  CheckPlain(where, kBytes, kWrite ? kAccessWrite : 0, pc);
}

// A word without cells.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline)) void EnterNew(uint64_t where, void* pc, Cell* cells) {
  PrepareCells(where);
  EnterWord<kWrite, kBytes>(where, pc, cells);
}

// The third and the fourth cell.
template <bool kWrite, uint64_t kBytes>
__attribute__((noinline)) void FreshBeyond(uint64_t where, void* pc, Cell* cells) {
  if (SeenBeyond<kCellsPerWord>(cells, kCellStride, __heddle_segment, AccessBits(ReachOf<kBytes>(where), kWrite)))
    return;
  EnterWord<kWrite, kBytes>(where, pc, cells);
}

// What a look at the first cell has not found there. All calls are the last thing done: no frame.
template <bool kWrite, uint32_t kLog>
void FreshAccess(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  auto where = reinterpret_cast<uint64_t>(address);
  Cell* base = g_cells[where >> kRegionShift & (kRegions - 1)];
  Cell reach = kBytes <= 8 ? ReachOf<kBytes>(where) : ~Cell{0};
  if (base == nullptr || reach > 0xFF) [[unlikely]]
    return FreshInTwo<kWrite, kBytes>(where, pc, base);
  Cell* cells = base + ((where & (kRegionBytes - 1)) >> 3U);
  Cell bits = AccessBits(reach, kWrite);
  Cell first = LoadCell(cells);
  if (HasSecond(first)) {
    Cell second = LoadCell(&cells[kCellStride]);
    if (Covers(second, __heddle_segment, bits)) return;
    if ((second & kLastBit) == 0) return FreshBeyond<kWrite, kBytes>(where, pc, cells);
  }
  if (first == 0 && !IsPrepared(where)) [[unlikely]]
    return EnterNew<kWrite, kBytes>(where, pc, cells);
  EnterWord<kWrite, kBytes>(where, pc, cells);
}

template <bool kWrite, uint32_t kLog>
void Access(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  auto where = reinterpret_cast<uint64_t>(address);
  Cell* base = g_cells[where >> kRegionShift & (kRegions - 1)];
  Cell mask = kBytes <= 8 ? ReachOf<kBytes>(where) : ~Cell{0};
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
    .fresh_read = {detect::FreshAccess<false, 0>, detect::FreshAccess<false, 1>, detect::FreshAccess<false, 2>,
                   detect::FreshAccess<false, 3>, detect::FreshAccess<false, 4>},
    .fresh_write = {detect::FreshAccess<true, 0>, detect::FreshAccess<true, 1>, detect::FreshAccess<true, 2>,
                    detect::FreshAccess<true, 3>, detect::FreshAccess<true, 4>},
    .read = {detect::Access<false, 0>, detect::Access<false, 1>, detect::Access<false, 2>, detect::Access<false, 3>,
             detect::Access<false, 4>},
    .write = {detect::Access<true, 0>, detect::Access<true, 1>, detect::Access<true, 2>, detect::Access<true, 3>,
              detect::Access<true, 4>},
    .vptr_read = detect::Access<false, 3>,
    .vptr_write = detect::Access<true, 3>,
    .read_range = detect::RangeAccess<false>,
    .write_range = detect::RangeAccess<true>,
    .function_entry = FunctionEntry,
    .function_exit = FunctionExit,
};

}  // namespace heddle::rt
