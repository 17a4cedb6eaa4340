#include "trace/encode.h"

namespace heddle::trace {
namespace {

constexpr uint64_t kFlagsMask = ~kAddressMask;  // detail and kind of a head, result and order of a tail

void CopyBytes(uint8_t* to, const uint8_t* from, size_t count) { __builtin_memcpy(to, from, count); }

}  // namespace

inline Encoder::Site* Encoder::FindSite(uint64_t kind_detail, uint64_t tail) {
  uint64_t hash = (tail ^ (kind_detail >> 40U)) * 0x9E3779B97F4A7C15ULL;
  for (uint32_t i = static_cast<uint32_t>(hash >> 50U) % kTable;; i = (i + 1) % kTable) {
    Site* site = &sites_[i];
    if (site->generation != generation_) {
      *site = Site{tail, kind_detail, {}, 0, 0, generation_, UINT32_MAX};
      return site;
    }
    if (site->tail == tail && site->kind_detail == kind_detail) return site;
  }
}

inline void Encoder::PutArguments(const Slot* record, Kind kind, Site* site, State* state) {
  state->field_at = PutVarintFast(state->field_at, record[1].head - state->last_sequence);
  state->last_sequence = record[1].head;
  uint64_t arg = record[1].tail;
  state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(arg - site->last_arg)));
  site->last_arg = arg;
  if (kKindWords[static_cast<uint8_t>(kind)] != 4) return;
  state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(record[2].head - arg)));
  state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(record[2].tail - site->last_arg3)));
  site->last_arg3 = record[2].tail;
}

inline void Encoder::PutWithSite(const Slot* record, Kind kind, State* state) {
  Site* site = FindSite(record->head & kFlagsMask, record->tail);
  uint64_t address = AddressOf(*record);
  if (site->number == UINT32_MAX) {
    site->number = state->sites_used++;
    state->field_at = PutVarintFast(state->field_at, record->head >> 48U);
    state->field_at = PutVarintFast(state->field_at, record->tail >> 48U);
    state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(PcOf(*record) - state->last_pc)));
    state->last_pc = PcOf(*record);
  }
  state->tag_at = PutVarintFast(state->tag_at, kSiteTag + site->number);
  state->delta_at =
      PutVarintFast(state->delta_at, ZigZag(static_cast<int64_t>(address - site->address.Guess(state->last_address))));
  site->address.Learn(state->last_address, address);
  state->last_address = address;
  if (IsRange(kind)) state->field_at = PutVarintFast(state->field_at, record[1].head);
  if (IsOrdered(kind)) PutArguments(record, kind, site, state);
}

void Encoder::PutContext(const Slot* record, Kind kind, State* state) {
  state->tag_at = PutVarintFast(state->tag_at, static_cast<uint64_t>(kind) - static_cast<uint64_t>(Kind::Frame));
  if (kind == Kind::StackReset) return;
  uint64_t node = AddressOf(*record);
  state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(node - state->last_node)));
  state->last_node = node;
  if (kind != Kind::Frame) return;
  state->field_at = PutVarintFast(state->field_at, ZigZag(static_cast<int64_t>(PcOf(*record) - state->last_frame_pc)));
  state->last_frame_pc = PcOf(*record);
}

// Flattened: the state lives in registers from record to record.
[[gnu::flatten]] size_t Encoder::Encode(const Slot* begin, const Slot* end, uint8_t* out, uint32_t* events) {
  ++generation_;
  // Fields go straight behind where the other columns will end at most; they are moved down when those are known.
  size_t slots = static_cast<size_t>(end - begin);
  uint8_t* fields = out + 2 * kMaxVarintBytes + slots * (3 + kMaxVarintBytes);
  State state{.tag_at = tags_, .delta_at = deltas_, .field_at = fields};
  uint32_t count = 0;
  for (const Slot* at = begin; at < end; ++count) {
    Kind kind = static_cast<Kind>(KindByte(*at));
    if (IsPlainAccess(kind) || IsOrdered(kind)) {
      PutWithSite(at, kind, &state);
    } else {
      PutContext(at, kind, &state);
    }
    at += SlotsOf(kind);
  }
  *events = count;
  size_t tag_bytes = static_cast<size_t>(state.tag_at - tags_);
  size_t delta_bytes = static_cast<size_t>(state.delta_at - deltas_);
  size_t field_bytes = static_cast<size_t>(state.field_at - fields);
  uint8_t* at = PutVarint(out, tag_bytes);
  at = PutVarint(at, delta_bytes);
  CopyBytes(at, tags_, tag_bytes);
  at += tag_bytes;
  CopyBytes(at, deltas_, delta_bytes);
  at += delta_bytes;
  __builtin_memmove(at, fields, field_bytes);
  return static_cast<size_t>(at - out) + field_bytes;
}

}  // namespace heddle::trace
