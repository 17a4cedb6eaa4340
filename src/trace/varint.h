// Little-endian base-128 numbers. Freestanding: the runtime that lives in the target includes this file.
#pragma once

#include <cstdint>

namespace heddle::trace {

inline constexpr int kMaxVarintBytes = 10;

inline uint8_t* PutVarint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80U);
    value >>= 7U;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

// Null when the number is cut off or too long.
inline const uint8_t* GetVarint(const uint8_t* at, const uint8_t* end, uint64_t* value) {
  if (at < end && *at < 0x80) {
    *value = *at;
    return at + 1;
  }
  uint64_t result = 0;
  for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
    uint8_t byte = *at++;
    result |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

inline constexpr uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63);
}
inline constexpr int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>((value >> 1U) ^ (~(value & 1U) + 1U)); }

}  // namespace heddle::trace
