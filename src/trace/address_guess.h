// What the address of a site's next record will be, as both encoder and decoder work it out: near the site's last one,
// or as far from the record before as last time. A field of a structure that was just reached through another field is
// of the second kind. Each site goes by what has been nearer lately. All zero is the initial state.
//
// Freestanding: the runtime that lives in the target includes this file.
#pragma once

#include <cstdint>

#include "trace/varint.h"

namespace heddle::trace {

struct AddressGuess {
  uint64_t last;
  uint64_t offset;  // from the record before
  int64_t trust;    // > 0: the offset was nearer

  // `before` is the address of the record before, of whatever site.
  uint64_t Guess(uint64_t before) const { return trust > 0 ? before + offset : last; }

  void Learn(uint64_t before, uint64_t address) {
    constexpr int64_t kMost = 4;
    uint64_t from_last = ZigZag(static_cast<int64_t>(address - last));
    uint64_t from_offset = ZigZag(static_cast<int64_t>(address - before - offset));
    trust += static_cast<int64_t>(from_offset < from_last) - static_cast<int64_t>(from_last < from_offset);
    trust = trust > kMost ? kMost : trust < -kMost ? -kMost : trust;
    last = address;
    offset = address - before;
  }
};

}  // namespace heddle::trace
