#include "refine/trace/environment.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace heddle::refine {
namespace {

// Small and special values take the branches of a program more often than random ones.
uint64_t Interesting(uint64_t random) {
  uint64_t payload = random >> 8;
  switch (random % 8) {
    case 0:
      return payload % 4;
    case 1:
      return ~uint64_t{0} - payload % 3;
    case 2:
      return uint64_t{1} << (payload % 64);
    case 3:
      return payload % 100;
    default:
      return payload * 0x9e3779b97f4a7c15ULL;
  }
}

uint64_t FloatBits(uint64_t random, uint32_t size) {
  auto value = static_cast<double>(static_cast<int64_t>(random % 2001) - 1000) / 8;
  if (size == 4) {
    auto narrow = static_cast<float>(value);
    uint32_t bits = 0;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

uint64_t EnvironmentValue(const EnvironmentKey& key, const Symbol& symbol, uint32_t offset) {
  uint64_t seed = XXH3_64bits_withSeed(&key.lock, sizeof key.lock, key.seed * 31 + key.acquisition);
  std::string_view name = std::string_view(symbol.name).substr(std::min(key.prefix, symbol.name.size()));
  uint64_t random = XXH3_64bits_withSeed(name.data(), name.size(), seed + offset);
  const ByteInfo& byte = symbol.bytes[offset];
  if (byte.content == ByteInfo::kBool) return random % 2;
  if (byte.content == ByteInfo::kFloat || byte.content == ByteInfo::kDouble) return FloatBits(random, byte.unit);
  // Now and then everything is small or zero, so that comparisons of two variables come out equal.
  uint64_t mood = XXH3_64bits_withSeed(&seed, sizeof seed, 1) % 4;
  uint64_t value = mood == 0 ? 0 : mood == 1 ? random % 3 : Interesting(random);
  return byte.unit >= 8 ? value : value & ((uint64_t{1} << (8 * byte.unit)) - 1);
}

uint32_t EnvironmentUnit(const Symbol& symbol, uint32_t offset) {
  const ByteInfo& byte = symbol.bytes[offset];
  bool writable = byte.content == ByteInfo::kInteger || byte.content == ByteInfo::kBool ||
                  byte.content == ByteInfo::kFloat || byte.content == ByteInfo::kDouble;
  if (!writable || byte.mask == 0) return 0;
  return offset + byte.unit <= symbol.size() ? byte.unit : 0;
}

}  // namespace heddle::refine
