// What has been recorded already: drops accesses that repeat within a thread's segment (between two visible
// operations), as in section 5.5.1 of "Predicting Errors in Concurrent Systems". The first access of a kind to each
// byte in a segment is kept, whatever code does it.
//
// One table for the process, indexed by address, so that neighbours share cache lines and memory is bounded (32 MiB at
// most, touched as needed). An entry says which bytes of an 8-byte word a segment has accessed; another address or
// another segment simply takes the entry over, which at worst records something twice. Entries are read and written
// without locks: each is one word that is checked as a whole.
//
//   bits 0..7 bytes of the word, 8..30 the rest of the address, 31..63 the segment
//
// A segment's number is the sequence number of the visible operation that began it, so segments of all threads differ.
// Numbers repeat after 2^33; the table is emptied every 2^32.
#pragma once

#include <cstdint>

namespace heddle::rt {

inline constexpr uint32_t kFilterWordBits = 21;  // words in the table
inline constexpr uint32_t kFilterTagShift = 8;
inline constexpr uint32_t kFilterSegmentShift = 31;
inline constexpr uint64_t kFilterBytes = uint64_t{16} << kFilterWordBits;

extern uint64_t* g_filter;

bool StartFilter();
void EmptyFilter();

// The part of an entry that a segment determines.
constexpr uint64_t SegmentBits(uint64_t sequence) { return sequence << kFilterSegmentShift; }

// The address's high bits are mixed in: allocation arenas of different threads lie at equal offsets of large blocks,
// and would throw each other's entries out. Neighbouring words stay neighbours.
inline uint64_t* FilterEntry(uint64_t address, bool write) {
  uint32_t mix = static_cast<uint32_t>(address >> (3U + kFilterWordBits)) * 0x9E3779B1U;
  uint32_t word =
      (static_cast<uint32_t>(address >> 3U) ^ (mix >> (32U - kFilterWordBits))) & ((1U << kFilterWordBits) - 1);
  return &g_filter[word * 2 + (write ? 1 : 0)];
}

constexpr uint64_t FilterTag(uint64_t address) {
  return ((address >> (3U + kFilterWordBits)) & ((1U << (kFilterSegmentShift - kFilterTagShift)) - 1))
         << kFilterTagShift;
}

// Whether the entry covers `bytes` (a mask) for this address and segment.
constexpr bool FilterCovers(uint64_t entry, uint64_t wanted, uint64_t bytes) {
  return (entry & ~uint64_t{0xFF}) == wanted && (~entry & bytes) == 0;
}

// Adds the bytes. `wanted` is segment and tag.
inline void FilterAdd(uint64_t* entry, uint64_t wanted, uint64_t bytes) {
  uint64_t old = *entry;
  *entry = (old & ~uint64_t{0xFF}) == wanted ? old | bytes : wanted | bytes;
}

}  // namespace heddle::rt
