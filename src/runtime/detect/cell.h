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

// Takes the word and returns its first cell; storing a first cell gives it back.
inline Cell LockWord(Cell* first) {
  constexpr int kPauses = 64;
  constexpr int kPatience = 10000;
  for (int tries = 0; tries < kPatience; ++tries) {
    Cell cell = __atomic_exchange_n(first, kLockedCell, __ATOMIC_ACQUIRE);
    if (cell != kLockedCell) [[likely]]
      return cell;
    while (LoadCell(first) == kLockedCell && ++tries < kPatience) {
      if (tries < kPauses) {
        __builtin_ia32_pause();
      } else {
        sched_yield();
      }
    }
  }
  return 0;
}

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

// What is left of another segment's cell after the access, 0 if nothing; `raced` is set when the two race.
template <typename ClockOf>
Cell LeftOf(Cell cell, Cell mine, Cell bits, ClockOf clock, Cell* raced) {
  if (EpochOf(cell) > clock(SlotOf(cell))) {
    Cell conflict = (bits > 0xFF ? cell : cell >> 8U) & bits & 0xFF;
    if (conflict != 0 && (cell & mine & kAtomicBit) == 0) *raced = cell;
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
  Cell raced = 0;
  Cell first = mine | bits;
  // What one thread wrote and the next reads and writes, which is what most shared words see, makes do with two.
  bool own = IsSegmentsOwn(cell, mine);
  Cell second = (cell & kLastBit) != 0 ? cell : LoadCell(&cells[stride]);
  if (cell != 0 && own != ((cell & kLastBit) != 0) && (second & kLastBit) != 0) {
    if (own) first |= cell;
    Cell left = LeftOf(second & ~kLastBit, mine, bits, clock, &raced);
    if (left != 0) StoreCell(&cells[stride], left | kLastBit);
    StoreCell(cells, left != 0 ? first : first | kLastBit);
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
  if (left_over == kCells) kept[victim % kCells] = kept[--left_over];
  for (uint32_t i = left_over; i > 0; --i) {
    StoreCell(&cells[i * stride], kept[i - 1] | (i == left_over ? kLastBit : 0));
  }
  StoreCell(cells, first | (left_over == 0 ? kLastBit : 0));
  return raced;
}

// Whether the word says already that the segment did `bits`.
template <uint32_t kCells>
bool Seen(const Cell* cells, uint64_t stride, Cell mine, Cell bits) {
  for (uint32_t i = 0; i < kCells; ++i) {
    Cell cell = LoadCell(&cells[i * stride]);
    if (Covers(cell, mine, bits)) return true;
    if (cell == 0 || (cell & kLastBit) != 0) return false;
  }
  return false;
}

}  // namespace heddle::rt::detect
