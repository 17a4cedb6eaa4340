// Records to the payload of an events chunk, and back.
//
// A payload is three columns, so that the compressor sees like beside like:
//   varint bytes_of_tags, varint bytes_of_deltas, tags, deltas, fields
// tags: for each record one varint. Below kSiteTag it is the kind of a Frame, Stack or StackReset record, less Frame;
// else
//   the record's site is number tag - kSiteTag in the chunk's table. A site is what an instruction does alike every
//   time: code address, kind, detail, result and order. The first use of a number defines it.
// deltas: for each record with a site, zigzag(address - the site's guess), see address_guess.h.
// fields: for a new site its definition (detail and kind, result and order, zigzag of the code address less the one
//   defined before); for a range its size; for an ordered event its sequence number less the one before in the chunk,
//   zigzag(arg - last arg at this site) and, with four arguments, zigzag(arg2 - arg) and zigzag(arg3 - last arg3 at
//   this site); for Frame zigzag(parent - last node) and zigzag(code address - last frame's); for Stack
//   zigzag(node - last node). "Last" is zero at the start of a chunk: chunks do not depend on each other.
//
// Freestanding and without allocation: the runtime compresses with this inside the target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/address_guess.h"
#include "trace/format.h"
#include "trace/varint.h"

namespace heddle::trace {

inline constexpr uint64_t kSiteTag = 3;  // below: Frame, Stack, StackReset
static_assert(static_cast<uint8_t>(Kind::StackReset) == static_cast<uint8_t>(Kind::Frame) + kSiteTag - 1);

// An upper bound for the payload of `slots` slots: tag, delta, and at most 20 bytes of fields for each.
constexpr size_t MaxPayloadBytes(size_t slots) { return 2 * kMaxVarintBytes + slots * (3 + kMaxVarintBytes + 20) + 64; }

// Encodes chunks; one at a time. About 500 KiB; place it in memory that is zero at first.
class Encoder {
 public:
  // Encodes slots [begin, end), whole records, into `out` of at least MaxPayloadBytes. Returns the payload's size and
  // sets the number of events. At most kLiveSlots slots.
  size_t Encode(const Slot* begin, const Slot* end, uint8_t* out, uint32_t* events);

 private:
  struct Site {
    uint64_t tail;
    uint64_t kind_detail;
    AddressGuess address;
    uint64_t last_arg;
    uint64_t last_arg3;
    uint32_t generation;
    uint32_t number;
  };
  static constexpr uint32_t kTable = 8192;  // twice the slots of a buffer: the table is never more than half full

  // What changes with every record. Local to Encode: as members they would be read again after each byte that is
  // stored.
  struct State {
    uint32_t sites_used = 0;
    uint64_t last_pc = 0;  // of the last site definition
    uint64_t last_frame_pc = 0;
    uint64_t last_node = 0;
    uint64_t last_sequence = 0;
    uint64_t last_address = 0;
    uint8_t* tag_at;
    uint8_t* delta_at;
    uint8_t* field_at;
  };

  Site* FindSite(uint64_t kind_detail, uint64_t tail);
  void PutWithSite(const Slot* record, Kind kind, State* state);
  static void PutArguments(const Slot* record, Kind kind, Site* site, State* state);
  static void PutContext(const Slot* record, Kind kind, State* state);

  Site sites_[kTable];
  uint32_t generation_;
  uint8_t tags_[kLiveSlots * 3 + 16];
  uint8_t deltas_[kLiveSlots * kMaxVarintBytes + 16];
};

}  // namespace heddle::trace
