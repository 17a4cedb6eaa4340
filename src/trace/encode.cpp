#include "trace/encode.h"

namespace heddle::trace {
namespace {

constexpr uint64_t kFlagsMask = ~kAddressMask;  // detail and kind of a head, result and order of a tail

void CopyBytes(uint8_t* to, const uint8_t* from, size_t count) { __builtin_memcpy(to, from, count); }

}  // namespace

Encoder::Site* Encoder::FindSite(uint64_t kind_detail, uint64_t tail) {
  uint64_t hash = (tail ^ (kind_detail >> 40U)) * 0x9E3779B97F4A7C15ULL;
  for (uint32_t i = static_cast<uint32_t>(hash >> 50U) % kTable;; i = (i + 1) % kTable) {
    Site* site = &sites_[i];
    if (site->generation != generation_) {
      *site = Site{tail, kind_detail, 0, 0, 0, generation_, UINT32_MAX};
      return site;
    }
    if (site->tail == tail && site->kind_detail == kind_detail) return site;
  }
}

void Encoder::PutArguments(const Slot* record, Kind kind, Site* site) {
  field_at_ = PutVarint(field_at_, record[1].head - last_sequence_);
  last_sequence_ = record[1].head;
  uint64_t arg = record[1].tail;
  field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(arg - site->last_arg)));
  site->last_arg = arg;
  if (kKindWords[static_cast<uint8_t>(kind)] != 4) return;
  field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(record[2].head - arg)));
  field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(record[2].tail - site->last_arg3)));
  site->last_arg3 = record[2].tail;
}

void Encoder::PutWithSite(const Slot* record, Kind kind) {
  Site* site = FindSite(record->head & kFlagsMask, record->tail);
  uint64_t address = AddressOf(*record);
  if (site->number == UINT32_MAX) {
    site->number = sites_used_++;
    field_at_ = PutVarint(field_at_, record->head >> 48U);
    field_at_ = PutVarint(field_at_, record->tail >> 48U);
    field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(PcOf(*record) - last_pc_)));
    last_pc_ = PcOf(*record);
  }
  tag_at_ = PutVarint(tag_at_, kSiteTag + site->number);
  delta_at_ = PutVarint(delta_at_, ZigZag(static_cast<int64_t>(address - site->last_address)));
  site->last_address = address;
  if (IsRange(kind)) field_at_ = PutVarint(field_at_, record[1].head);
  if (IsOrdered(kind)) PutArguments(record, kind, site);
}

void Encoder::PutContext(const Slot* record, Kind kind) {
  tag_at_ = PutVarint(tag_at_, static_cast<uint64_t>(kind));
  if (kind == Kind::StackReset) return;
  uint64_t node = AddressOf(*record);
  field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(node - last_node_)));
  last_node_ = node;
  if (kind != Kind::Frame) return;
  field_at_ = PutVarint(field_at_, ZigZag(static_cast<int64_t>(PcOf(*record) - last_frame_pc_)));
  last_frame_pc_ = PcOf(*record);
}

size_t Encoder::Encode(const Slot* begin, const Slot* end, uint8_t* out, uint32_t* events) {
  ++generation_;
  sites_used_ = 0;
  last_pc_ = last_frame_pc_ = last_node_ = last_sequence_ = 0;
  tag_at_ = tags_;
  delta_at_ = deltas_;
  // Fields go straight behind where the other columns will end at most; they are moved down when those are known.
  size_t slots = static_cast<size_t>(end - begin);
  uint8_t* fields = out + 2 * kMaxVarintBytes + slots * (3 + kMaxVarintBytes);
  field_at_ = fields;
  uint32_t count = 0;
  for (const Slot* at = begin; at < end; ++count) {
    Kind kind = static_cast<Kind>(KindByte(*at));
    if (IsPlainAccess(kind) || IsOrdered(kind)) {
      PutWithSite(at, kind);
    } else {
      PutContext(at, kind);
    }
    at += SlotsOf(kind);
  }
  *events = count;
  size_t tag_bytes = static_cast<size_t>(tag_at_ - tags_);
  size_t delta_bytes = static_cast<size_t>(delta_at_ - deltas_);
  size_t field_bytes = static_cast<size_t>(field_at_ - fields);
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
