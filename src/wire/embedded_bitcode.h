// How an object of `heddle cc --bitcode` carries its bitcode: a section that is not loaded, which linkers put together
// from all objects of a program. In it, for each source: the mark, the number of bytes (8, little endian), the bytes;
// linkers may leave zeros between. Written by the pass plugin, read by `heddle deadlock`. Freestanding.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::wire {

inline constexpr char kBitcodeSection[] = ".heddle.bitcode";
inline constexpr char kBitcodeMark[] = "HEDDLEBC";
inline constexpr size_t kBitcodeMarkBytes = sizeof kBitcodeMark - 1;
inline constexpr size_t kBitcodeHeadBytes = kBitcodeMarkBytes + sizeof(uint64_t);

}  // namespace heddle::wire
