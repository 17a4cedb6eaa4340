// Little-endian base-128 numbers. Freestanding: the runtime that lives in the target includes this file.
#pragma once

#include <cstdint>

namespace heddle::trace {

inline constexpr int kMaxVarintBytes = 10;

// Bytes behind the number that PutVarintFast may overwrite.
inline constexpr int kVarintSlack = 8;

inline uint8_t* PutVarint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80U);
    value >>= 7U;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

// The same bytes, with few branches: small numbers come in runs, which the processor foresees; the length of large ones
// (below 2^56) is computed.
inline uint8_t* PutVarintFast(uint8_t* at, uint64_t value) {
  if (value < 0x80) {
    *at = static_cast<uint8_t>(value);
    return at + 1;
  }
  if (value < 0x4000) {
    at[0] = static_cast<uint8_t>(value | 0x80U);
    at[1] = static_cast<uint8_t>(value >> 7U);
    return at + 2;
  }
  if (value >> 56U != 0) return PutVarint(at, value);
  // Groups of 7 bits to bytes: 28 bits apart, then 14, then 7.
  uint64_t spread = (value & 0x0FFFFFFFU) | (value & 0x00FFFFFFF0000000U) << 4U;
  spread = (spread & 0x00003FFF00003FFFU) | (spread & 0x0FFFC0000FFFC000U) << 2U;
  spread = (spread & 0x007F007F007F007FU) | (spread & 0x3F803F803F803F80U) << 1U;
  unsigned more = static_cast<unsigned>(63 - __builtin_clzll(value | 1U)) * 37U >> 8U;  // divided by 7, up to 63
  spread |= 0x8080808080808080U & ((uint64_t{1} << (8U * more)) - 1);
  __builtin_memcpy(at, &spread, sizeof spread);
  return at + more + 1;
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
