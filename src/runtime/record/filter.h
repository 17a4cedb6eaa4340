// What has been recorded already: drops accesses that repeat within a thread's segment (between two visible
// operations), as in section 5.5.1 of "Predicting Errors in Concurrent Systems". The first access of a kind to each
// byte in a segment is kept, whatever code does it; a write covers later reads.
//
// One table for the process, indexed by address, so that neighbours share cache lines and memory is bounded (16 MiB at
// most, touched as needed). An entry says which bytes of an 8-byte word a segment has accessed; another address or
// another segment simply takes the entry over, which at worst records something twice. Entries are read and written
// without locks: each is one word that is checked as a whole.
//
//   bits 0..7 bytes read or written, 8..15 bytes written, 16..38 the rest of the address, 39..63 the segment
//
// A segment's number is the low bits of the sequence number of the visible operation that began it, so segments of all
// threads differ. The table is emptied (and the generation raised) twice before numbers repeat; a thread that is still
// in an old segment then takes a new number when it next records something.
//
// The pass plugin compiles the look-up into programs (base/inline_filter.h has what both must agree on).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/inline_filter.h"

namespace heddle::rt {

inline constexpr uint64_t kFilterBytes = uint64_t{8} << kFilterWordBits;
inline constexpr uint64_t kFilterSegments = uint64_t{1} << (64U - kFilterSegmentShift);

extern uint64_t* g_filter;
extern std::atomic<uint32_t> g_filter_generation;

// Maps the table, at kFilterAddress if that is free. False when out of memory.
bool StartFilter();
bool FilterIsInline();  // it is at kFilterAddress
void EmptyFilter();

// The part of an entry that a segment determines; never 0, which means that accesses are not filtered.
constexpr uint64_t SegmentBits(uint64_t sequence) {
  uint64_t bits = sequence << kFilterSegmentShift;
  return bits != 0 ? bits : uint64_t{1} << kFilterSegmentShift;
}

// The address's high bits are mixed in: allocation arenas of different threads lie at equal offsets of large blocks,
// and would throw each other's entries out. Within 32 KiB the order stays, so that walks are walks in the table too.
inline uint64_t* FilterEntry(uint64_t address) {
  uint64_t word = (address >> 3U) & ((uint64_t{1} << kFilterWordBits) - 1);
  return &g_filter[word ^ (address >> kFilterMixShift & kFilterMixMask)];
}

constexpr uint64_t FilterTag(uint64_t address) {
  return ((address >> kFilterRegionShift) & kFilterTagMask) << kFilterTagShift;
}

// Which bytes of `mask` (of the word, 0..0xFF) the entry lacks for this address and segment; nonzero also when it
// belongs to another one. `wanted` is segment and tag.
constexpr uint64_t FilterMissing(uint64_t entry, uint64_t wanted, uint64_t mask, bool write) {
  return (entry ^ (wanted | kFilterMask)) & (~kFilterMask | (write ? mask << 8U : mask));
}

inline void FilterAdd(uint64_t* entry, uint64_t wanted, uint64_t mask, bool write) {
  uint64_t old = *entry;
  uint64_t bytes = write ? mask | mask << 8U : mask;
  *entry = (old & ~kFilterMask) == wanted ? old | bytes : wanted | bytes;
}

}  // namespace heddle::rt
