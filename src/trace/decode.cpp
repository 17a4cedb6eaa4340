#include "trace/decode.h"

#include "trace/encode.h"

namespace heddle::trace {

bool Decoder::Broken() {
  damaged_ = true;
  return false;
}

bool Decoder::Start(const uint8_t* payload, size_t bytes) {
  damaged_ = false;
  sites_.clear();
  last_pc_ = last_address_ = last_other_pc_ = last_sequence_ = 0;
  const uint8_t* end = payload + bytes;
  uint64_t tag_bytes = 0;
  uint64_t delta_bytes = 0;
  const uint8_t* at = GetVarint(payload, end, &tag_bytes);
  if (at != nullptr) at = GetVarint(at, end, &delta_bytes);
  if (at == nullptr || tag_bytes > static_cast<uint64_t>(end - at) ||
      delta_bytes > static_cast<uint64_t>(end - at) - tag_bytes) {
    tag_at_ = tag_end_ = nullptr;
    return Broken();
  }
  tag_at_ = at;
  tag_end_ = delta_at_ = at + tag_bytes;
  delta_end_ = field_at_ = delta_at_ + delta_bytes;
  field_end_ = end;
  return true;
}

bool Decoder::DefineSite() {
  uint64_t head = 0;
  uint64_t tail = 0;
  uint64_t pc = 0;
  field_at_ = GetVarint(field_at_, field_end_, &head);
  if (field_at_ != nullptr) field_at_ = GetVarint(field_at_, field_end_, &tail);
  if (field_at_ != nullptr) field_at_ = GetVarint(field_at_, field_end_, &pc);
  if (field_at_ == nullptr || !IsKind(static_cast<uint8_t>(head >> 8U))) return Broken();
  Site site{};
  site.prototype.kind = static_cast<Kind>(head >> 8U);
  if (!IsPlainAccess(site.prototype.kind)) return Broken();
  site.prototype.detail = static_cast<uint8_t>(head);
  site.prototype.result = static_cast<uint8_t>(tail);
  site.prototype.order = static_cast<uint8_t>(tail >> 8U);
  last_pc_ += static_cast<uint64_t>(UnZigZag(pc));
  site.prototype.pc = last_pc_;
  sites_.push_back(site);
  return true;
}

bool Decoder::Other(Kind kind, Event* event) {
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t pc = 0;
  const uint8_t* at = GetVarint(field_at_, field_end_, &flags);
  if (at != nullptr) at = GetVarint(at, field_end_, &address);
  if (at != nullptr) at = GetVarint(at, field_end_, &pc);
  if (at == nullptr) return Broken();
  *event = Event{};
  event->kind = kind;
  event->detail = static_cast<uint8_t>(flags);
  event->result = static_cast<uint8_t>(flags >> 8U);
  event->order = static_cast<uint8_t>(flags >> 16U);
  event->address = last_address_ += static_cast<uint64_t>(UnZigZag(address));
  event->pc = last_other_pc_ += static_cast<uint64_t>(UnZigZag(pc));
  if (IsOrdered(kind)) {
    uint64_t sequence = 0;
    at = GetVarint(at, field_end_, &sequence);
    if (at != nullptr) at = GetVarint(at, field_end_, &event->arg);
    if (at != nullptr && kKindWords[static_cast<uint8_t>(kind)] == 4) {
      at = GetVarint(at, field_end_, &event->arg2);
      if (at != nullptr) at = GetVarint(at, field_end_, &event->arg3);
    }
    if (at == nullptr) return Broken();
    event->sequence = last_sequence_ += sequence;
  }
  field_at_ = at;
  return true;
}

bool Decoder::Next(Event* event) {
  if (tag_at_ == tag_end_) return false;
  uint64_t tag = 0;
  tag_at_ = GetVarint(tag_at_, tag_end_, &tag);
  if (tag_at_ == nullptr) {
    tag_at_ = tag_end_;
    return Broken();
  }
  if (tag < kSiteTag) {
    bool plain = tag < kKinds && IsPlainAccess(static_cast<Kind>(tag));
    if (!IsKind(static_cast<uint8_t>(tag)) || plain || !Other(static_cast<Kind>(tag), event)) {
      tag_at_ = tag_end_;
      return Broken();
    }
    return true;
  }
  uint64_t number = tag - kSiteTag;
  uint64_t delta = 0;
  if (number > sites_.size() || (number == sites_.size() && !DefineSite()) ||
      (delta_at_ = GetVarint(delta_at_, delta_end_, &delta)) == nullptr) {
    tag_at_ = tag_end_;
    return Broken();
  }
  Site& site = sites_[number];
  site.last_address += static_cast<uint64_t>(UnZigZag(delta));
  *event = site.prototype;
  event->address = site.last_address;
  if (IsRange(event->kind)) {
    field_at_ = GetVarint(field_at_, field_end_, &event->arg);
    if (field_at_ == nullptr) {
      tag_at_ = tag_end_;
      return Broken();
    }
  }
  return true;
}

uint32_t DecodeSlots(const Slot* at, const Slot* end, Event* event) {
  if (at >= end || !IsKind(KindByte(*at))) return 0;
  Kind kind = static_cast<Kind>(KindByte(*at));
  uint32_t slots = SlotsOf(kind);
  if (static_cast<size_t>(end - at) < slots) return 0;
  *event = Event{};
  event->kind = kind;
  event->detail = DetailByte(*at);
  event->result = ResultByte(*at);
  event->order = OrderByte(*at);
  event->address = AddressOf(*at);
  event->pc = PcOf(*at);
  if (IsRange(kind)) event->arg = at[1].head;
  if (IsOrdered(kind)) {
    event->sequence = at[1].head;
    event->arg = at[1].tail;
    if (slots > 2) {
      event->arg2 = at[2].head;
      event->arg3 = at[2].tail;
    }
  }
  return slots;
}

}  // namespace heddle::trace
