// The shadow of memory: for each aligned 8-byte word a few cells, each what one thread did to the word in one epoch.
//
//   bits 0..7 bytes read or written, 8..15 bytes written, 16 atomic, 17 last, 18..28 the thread's slot, 29..62 its
//   epoch, 63 the memory was freed then
//
// The last cell of a word is marked, and planes behind it are not looked at: what they hold is rubbish. Cells are
// written from the last to the first, so rubbish is never reached.
//
// A cell is one machine word. Who looks reads without locks; who changes a word puts kLockedCell in the place of its
// first cell meanwhile, so that of two threads at the same word one sees the other. A word whose holder does not come
// back (it was lost in a fork) is taken over after a while. Every cell that is ever stored describes accesses that
// really happened: what is lost can hide a race, never invent one.
//
// Invariant (as long as no cell had to be evicted): for every byte, the accesses that no later access of that byte both
// follows and is at least as strong as are in the cells. "Stronger": a write over a read, plain over atomic. A later
// access that is unordered with one that was dropped is unordered with the one that took its place, too.
// detect_core_test.cpp compares this with full vector clocks for every byte.
#pragma once

#include <sched.h>

#include <cstdint>

#include "base/inline_filter.h"

namespace heddle::rt::detect {

using Cell = uint64_t;

inline constexpr uint32_t kCellsPerWord = 4;
inline constexpr uint32_t kSlotBits = 11;
inline constexpr uint32_t kMaxSlots = 1U << kSlotBits;
inline constexpr Cell kByteBits = kCellByteBits;
inline constexpr Cell kAtomicBit = Cell{1} << 16U;
inline constexpr Cell kLastBit = kCellLastBit;
inline constexpr uint32_t kSlotShift = 18;
inline constexpr uint32_t kEpochShift = kSlotShift + kSlotBits;

constexpr Cell SegmentOf(uint32_t slot, uint64_t epoch) { return epoch << kEpochShift | Cell{slot} << kSlotShift; }
constexpr uint32_t SlotOf(Cell cell) { return static_cast<uint32_t>(cell >> kSlotShift) & (kMaxSlots - 1); }
constexpr uint64_t EpochOf(Cell cell) { return cell >> kEpochShift; }
// Memory that was given back: nobody's clock reaches such an epoch, so every access, also one that follows the free,
// meets it as unordered. Below the bit stands the epoch of the free.
inline constexpr uint64_t kFreedEpoch = uint64_t{1} << 34U;
constexpr bool IsFreedCell(Cell cell) { return (EpochOf(cell) & kFreedEpoch) != 0; }
constexpr Cell FreedCell(Cell segment) { return segment | kFreedEpoch << kEpochShift | kByteBits | kLastBit; }
// Bytes beside a heap block, which are nobody's: as if they had been freed before everything.
constexpr Cell GuardCell(Cell mask) { return kFreedEpoch << kEpochShift | mask | mask << 8U | kLastBit; }
constexpr bool IsGuardCell(Cell cell) { return EpochOf(cell) == kFreedEpoch; }
constexpr bool IsAtomicCell(Cell cell) { return (cell & kAtomicBit) != 0; }

// The byte bits of an access to the bytes of `mask`.
constexpr Cell AccessBits(Cell mask, bool write) { return write ? mask | mask << 8U : mask; }

// Whether `cell` says already that the segment `mine` (with its atomic bit) did `bits`.
constexpr bool Covers(Cell cell, Cell mine, Cell bits) {
  return ((cell ^ (mine | kByteBits)) & (~(kByteBits | kLastBit) | bits)) == 0;
}

inline Cell LoadCell(const Cell* cell) { return __atomic_load_n(cell, __ATOMIC_RELAXED); }
inline void StoreCell(Cell* cell, Cell value) { __atomic_store_n(cell, value, __ATOMIC_RELEASE); }

// No thread's: it covers nothing, and ends its word.
inline constexpr Cell kLockedCell = kAtomicBit | kLastBit;

// Another thread has the word. Out of line: those who need not wait save no registers for it.
__attribute__((noinline, cold)) inline Cell WaitForWord(Cell* first) {
  constexpr int kPauses = 64;
  constexpr int kPatience = 10000;
  for (int tries = 0; tries < kPatience; ++tries) {
    while (LoadCell(first) == kLockedCell && ++tries < kPatience) {
      if (tries < kPauses) {
        __builtin_ia32_pause();
      } else {
        sched_yield();
      }
    }
    Cell cell = __atomic_exchange_n(first, kLockedCell, __ATOMIC_ACQUIRE);
    if (cell != kLockedCell) return cell;
  }
  return 0;
}

// Takes the word and returns its first cell; storing a first cell gives it back.
inline Cell LockWord(Cell* first) {
  Cell cell = __atomic_exchange_n(first, kLockedCell, __ATOMIC_ACQUIRE);
  return cell != kLockedCell ? cell : WaitForWord(first);
}

// Whether there is a cell behind this first one; else what lies there is rubbish.
constexpr bool HasSecond(Cell first) { return first != 0 && (first & kLastBit) == 0; }

// What is left of `cell` once an access `bits` follows it.
constexpr Cell Remaining(Cell cell, Cell bits) {
  Cell written = bits >> 8U;
  Cell only_read = cell & 0xFFU & ~(cell >> 8U);
  Cell drop = written | (bits & only_read);
  return cell & ~(drop | drop << 8U);
}

constexpr bool IsSegmentsOwn(Cell cell, Cell mine) { return ((cell ^ mine) & ~(kByteBits | kLastBit)) == 0; }

// The word's only cell after the access, if one is enough before and after; else 0. Most words are like this.
template <typename ClockOf>
Cell OnlyCell(Cell cell, Cell mine, Cell bits, ClockOf clock) {
  if (cell == 0) return mine | bits | kLastBit;
  if ((cell & kLastBit) == 0 || cell == kLockedCell) return 0;
  if (IsSegmentsOwn(cell, mine)) return cell | bits;
  if (EpochOf(cell) > clock(SlotOf(cell)) || (IsAtomicCell(mine) && !IsAtomicCell(cell))) return 0;
  return (Remaining(cell, bits) & kByteBits) == 0 ? mine | bits | kLastBit : 0;
}

// Whether the first cell is the same access by an earlier epoch of this slot and the only other one is that slot's,
// too: what one thread wrote in one epoch and reads in each later one. Only the first cell's epoch changes then.
constexpr bool IsOwnAgain(Cell first, Cell second, Cell mine, Cell bits) {
  constexpr Cell kSlotBits64 = Cell{kMaxSlots - 1} << kSlotShift;
  bool same = ((first ^ (mine | bits)) & (kSlotBits64 | kAtomicBit | kLastBit | kByteBits)) == 0;
  return same && (second & kLastBit) != 0 && ((second ^ mine) & kSlotBits64) == 0 && !IsFreedCell(first) &&
         !IsFreedCell(second);
}

// What is left of another segment's cell after the access, 0 if nothing; `raced` is set when the two race.
template <typename ClockOf>
Cell LeftOf(Cell cell, Cell mine, Cell bits, ClockOf clock, Cell* raced) {
  if (EpochOf(cell) > clock(SlotOf(cell))) {
    Cell conflict = (bits > 0xFF ? cell : cell >> 8U) & bits & 0xFF;
    if (conflict != 0 && (cell & mine & kAtomicBit) == 0 && !IsGuardCell(*raced)) *raced = cell;
    return cell;
  }
  // An atomic access does not stand for a plain one: others may be atomic too.
  Cell left = IsAtomicCell(mine) && !IsAtomicCell(cell) ? cell : Remaining(cell, bits);
  return (left & kByteBits) != 0 ? left : 0;
}

// Enters the access `bits` of segment `mine` into the word's cells, which lie `stride` apart. The word is taken, `cell`
// is its first one; it is given back. Cells are used from the
// first on, without gaps, and the latest access is the first: where one thread works alone, the others are never
// touched. `clock(slot)` is how much of a slot happened before the access. Returns a cell that races with it, 0 when
// none does. `victim` chooses which cell is given up when there are too few.
template <uint32_t kCells, typename ClockOf>
Cell UpdateWord(Cell* cells, uint64_t stride, Cell cell, Cell mine, Cell bits, ClockOf clock, uint32_t victim) {
  static_assert(kCells >= 3);
  Cell second = HasSecond(cell) ? LoadCell(&cells[stride]) : kLastBit;
  if (IsOwnAgain(cell, second, mine, bits)) {
    StoreCell(cells, mine | bits);
    return 0;
  }
  Cell raced = 0;
  Cell first = mine | bits;
  if (cell != 0 && (second & kLastBit) != 0) {  // at most two, which is what most shared words have
    auto left_of = [&](Cell one) {
      if (!IsSegmentsOwn(one, mine)) return LeftOf(one & ~kLastBit, mine, bits, clock, &raced);
      first |= one & kByteBits;
      return Cell{0};
    };
    Cell left = left_of(cell);
    Cell behind = second != kLastBit ? left_of(second) : 0;
    bool both = left != 0 && behind != 0;
    if (both) StoreCell(&cells[2 * stride], behind | kLastBit);
    left |= both ? 0 : behind | kLastBit;
    if (left != kLastBit) StoreCell(&cells[stride], left);
    StoreCell(cells, left != kLastBit ? first : first | kLastBit);
    return raced;
  }
  Cell kept[kCells];
  uint32_t used = 0;
  uint32_t left_over = 0;
  while (cell != 0) {
    bool last = (cell & kLastBit) != 0;
    cell &= ~kLastBit;
    if (IsSegmentsOwn(cell, mine)) {
      first |= cell;
    } else if (Cell left = LeftOf(cell, mine, bits, clock, &raced); left != 0) {
      kept[left_over++] = left;
    }
    if (++used == kCells || last) break;
    cell = LoadCell(&cells[used * stride]);
  }
  if (left_over == kCells) {
    // What says that bytes are gone stays: it is never out of date.
    for (uint32_t i = 0; i < kCells && IsFreedCell(kept[victim % kCells]); ++i) ++victim;
    kept[victim % kCells] = kept[--left_over];
  }
  for (uint32_t i = left_over; i > 0; --i) {
    StoreCell(&cells[i * stride], kept[i - 1] | (i == left_over ? kLastBit : 0));
  }
  StoreCell(cells, first | (left_over == 0 ? kLastBit : 0));
  return raced;
}

// The bytes `bits` are given back: as UpdateWord for a write of them, but nothing is kept of what was there.
template <uint32_t kCells, typename ClockOf>
Cell FreeWord(Cell* cells, uint64_t stride, Cell cell, Cell mine, Cell bits, ClockOf clock) {
  Cell raced = 0;
  for (uint32_t used = 0; cell != 0;) {
    if (!IsSegmentsOwn(cell, mine)) LeftOf(cell & ~kLastBit, mine, bits, clock, &raced);
    if (++used == kCells || (cell & kLastBit) != 0) break;
    cell = LoadCell(&cells[used * stride]);
  }
  StoreCell(cells, FreedCell(mine));
  return raced;
}

// Which cell of a word of atomics only is this slot's, of an earlier epoch, with the same bytes; kCells: none, or there
// is a plain access.
template <uint32_t kCells>
uint32_t OwnAmongAtomics(const Cell* cells, uint64_t stride, Cell mine, Cell bits) {
  uint32_t own = kCells;
  for (uint32_t i = 0; i < kCells; ++i) {
    Cell cell = LoadCell(&cells[i * stride]);
    if (!IsAtomicCell(cell) || cell == kLockedCell || IsFreedCell(cell)) return kCells;
    if (SlotOf(cell) == SlotOf(mine) && (cell & kByteBits) == bits) own = i;
    if ((cell & kLastBit) != 0) break;
  }
  return own;
}

// The same atomic access as in an earlier epoch: only that cell's epoch changes, where it stands and without taking the
// word. Threads that use one location in turn have a cell each, and change only their own. `note` is called before the
// cell changes. False: the word must be taken after all.
//
// Who takes the word later sees the new epoch. Who has it now may have read the old one and may write it back; but then
// the first cell is not what it was, and the access is entered again. So of two accesses at the same moment one sees
// the other here, too.
template <uint32_t kCells, typename Note>
bool RefreshAtomic(Cell* cells, uint64_t stride, Cell mine, Cell bits, Note note) {
  Cell first = LoadCell(cells);
  uint32_t own = OwnAmongAtomics<kCells>(cells, stride, mine, bits);
  if (own == kCells) return false;
  Cell* place = &cells[own * stride];
  Cell old = LoadCell(place);
  bool still = IsAtomicCell(old) && old != kLockedCell && SlotOf(old) == SlotOf(mine) && (old & kByteBits) == bits;
  Cell renewed = mine | bits | (old & kLastBit);
  note();
  if (!still || !__atomic_compare_exchange_n(place, &old, renewed, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    return false;
  return LoadCell(cells) == (own == 0 ? renewed : first);
}

// Whether the third cell or one behind it says that the segment did `bits`; the second is not the last.
template <uint32_t kCells>
bool SeenBeyond(const Cell* cells, uint64_t stride, Cell mine, Cell bits) {
  for (uint32_t i = 2; i < kCells; ++i) __builtin_prefetch(&cells[i * stride]);  // they lie in different pages
  for (uint32_t i = 2; i < kCells; ++i) {
    Cell cell = LoadCell(&cells[i * stride]);
    if (Covers(cell, mine, bits)) return true;
    if (cell == 0 || (cell & kLastBit) != 0) return false;
  }
  return false;
}

// Whether the word says already that the segment did `bits`.
template <uint32_t kCells>
bool Seen(const Cell* cells, uint64_t stride, Cell mine, Cell bits) {
  Cell first = LoadCell(cells);
  if (Covers(first, mine, bits)) return true;
  if (!HasSecond(first)) return false;
  Cell second = LoadCell(&cells[stride]);
  return Covers(second, mine, bits) || (HasSecond(second) && SeenBeyond<kCells>(cells, stride, mine, bits));
}

}  // namespace heddle::rt::detect
