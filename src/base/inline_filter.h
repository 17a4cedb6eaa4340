// What the pass plugin compiles into programs and the runtime must agree on: the access filter's place and layout, and
// those of the detector's cells.
//
// Constants only. The filter itself, with what its entries mean, is runtime/record/filter.h.
#pragma once

#include <cstdint>

namespace heddle {

// Values of a module's watch byte.
inline constexpr uint8_t kWatchNothing = 0;   // plain accesses call nothing
inline constexpr uint8_t kWatchAll = 1;       // every plain access calls the runtime
inline constexpr uint8_t kWatchFiltered = 2;  // the inline look into the filter may answer first
inline constexpr uint8_t kWatchCells = 3;     // the inline look into the detector's cells may

// The filter is mapped here, where an instruction can name it, above programs that are not position independent and
// below everything else; if the place is taken, modules are told kWatchAll.
inline constexpr uint64_t kFilterAddress = 0x7000'0000;

inline constexpr uint32_t kFilterWordBits = 21;  // 8-byte words in the table
inline constexpr uint32_t kFilterTagShift = 16;
inline constexpr uint32_t kFilterSegmentShift = 39;
inline constexpr uint64_t kFilterMask = (uint64_t{1} << kFilterTagShift) - 1;
inline constexpr uint32_t kFilterRegionShift =
    3 + kFilterWordBits;  // address bits above: tag, and mixed into the index
inline constexpr uint64_t kFilterTagMask = (uint64_t{1} << (kFilterSegmentShift - kFilterTagShift)) - 1;

// The index of an address: its word number, with the region's low bits mixed in above a walk of 2^12 words.
inline constexpr uint32_t kFilterMixShift = kFilterRegionShift - 12;
inline constexpr uint64_t kFilterMixMask = ((uint64_t{1} << kFilterWordBits) - 1) & ~uint64_t{0xFFF};

// The detector's cells (runtime/detect/cell.h, shadow.h): regions of the address space, and the bits of a cell that say
// which bytes were read and written.
inline constexpr uint32_t kCellRegionShift = 30;
inline constexpr uint64_t kCellRegions = uint64_t{1} << (47U - kCellRegionShift);
// From one cell of a word to the next. Not a power of two, and the first plane begins within a page: a word of the
// program and its cells would all want the same set of the nearest cache.
inline constexpr uint64_t kCellStagger = 4096 / 5 / 8;
inline constexpr uint64_t kCellStride = (uint64_t{1} << kCellRegionShift) / 8 + kCellStagger;
inline constexpr uint64_t kCellByteBits = 0xFFFF;
inline constexpr uint64_t kCellLastBit = 1U << 17U;  // says nothing about the access

}  // namespace heddle
