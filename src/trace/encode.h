// Records to the payload of an events chunk, and back.
//
// A payload is three columns, so that the compressor sees like beside like:
//   varint n_tags_bytes, varint n_delta_bytes, tags, deltas, fields
// tags: for each record one varint. t >= kSiteTag: plain access number t - kSiteTag in the chunk's table of sites
//   (a site is code address, kind, size and flags; the first use of a number defines it). Else t is the kind.
// deltas: for each plain access, zigzag(address - last address of this site).
// fields: for a new site its definition; for a range its size; for any other record detail, result and order as one
//   varint, then zigzag differences to the record of this sort before: address, code address, and the arguments
//   (argument 0 of an ordered event, its place in the global order, only grows: a plain difference).
//
// Freestanding and without allocation: the runtime compresses with this inside the target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"
#include "trace/varint.h"

namespace heddle::trace {

inline constexpr uint64_t kSiteTag = 128;  // kinds are below

// An upper bound for the payload of `slots` slots: tag, delta, and at most 20 bytes of fields for each.
constexpr size_t MaxPayloadBytes(size_t slots) { return 2 * kMaxVarintBytes + slots * (3 + kMaxVarintBytes + 20) + 64; }

// Encodes chunks; one at a time. About 250 KiB; place it in memory that is zero at first.
class Encoder {
 public:
  // Encodes slots [begin, end), whole records, into `out` of at least MaxPayloadBytes. Returns the payload's size and
  // sets the number of events. At most kLiveSlots slots.
  size_t Encode(const Slot* begin, const Slot* end, uint8_t* out, uint32_t* events);

 private:
  struct Site {
    uint64_t tail;
    uint64_t kind_detail;
    uint64_t last_address;
    uint32_t generation;
    uint32_t number;
  };
  static constexpr uint32_t kTable = 8192;  // twice the slots of a buffer: the table is never more than half full

  Site* FindSite(uint64_t kind_detail, uint64_t tail);
  void PutAccess(const Slot* record);
  void PutOther(const Slot* record);

  Site sites_[kTable];
  uint32_t generation_;
  uint32_t sites_used_;
  uint64_t last_pc_;       // of the last site definition
  uint64_t last_address_;  // of the last other record, as are the following
  uint64_t last_other_pc_;
  uint64_t last_sequence_;
  uint8_t* tag_at_;
  uint8_t* delta_at_;
  uint8_t* field_at_;
  uint8_t tags_[kLiveSlots * 3 + 16];
  uint8_t deltas_[kLiveSlots * kMaxVarintBytes + 16];
};

}  // namespace heddle::trace
