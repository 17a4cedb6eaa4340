#include "trace/decode.h"

#include "trace/encode.h"

namespace heddle::trace {

bool Decoder::Broken() {
  damaged_ = true;
  tag_at_ = tag_end_;
  return false;
}

uint64_t Decoder::Field() {
  uint64_t value = 0;
  if (field_at_ != nullptr) field_at_ = GetVarint(field_at_, field_end_, &value);
  return value;
}

bool Decoder::Start(const uint8_t* payload, size_t bytes) {
  damaged_ = false;
  sites_.clear();
  last_pc_ = last_frame_pc_ = last_node_ = last_sequence_ = last_address_ = 0;
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
  uint64_t head = Field();
  uint64_t tail = Field();
  uint64_t pc = Field();
  auto kind = static_cast<uint8_t>(head >> 8U);
  if (field_at_ == nullptr || !IsKind(kind)) return false;
  Site site;
  site.prototype.kind = static_cast<Kind>(kind);
  if (!IsPlainAccess(site.prototype.kind) && !IsOrdered(site.prototype.kind)) return false;
  site.prototype.detail = static_cast<uint8_t>(head);
  site.prototype.result = static_cast<uint8_t>(tail);
  site.prototype.order = static_cast<uint8_t>(tail >> 8U);
  last_pc_ += static_cast<uint64_t>(UnZigZag(pc));
  site.prototype.pc = last_pc_;
  sites_.push_back(site);
  return true;
}

bool Decoder::Arguments(Site* site, Event* event) {
  event->sequence = last_sequence_ += Field();
  event->arg = site->last_arg += static_cast<uint64_t>(UnZigZag(Field()));
  if (kKindWords[static_cast<uint8_t>(event->kind)] == 4) {
    event->arg2 = event->arg + static_cast<uint64_t>(UnZigZag(Field()));
    event->arg3 = site->last_arg3 += static_cast<uint64_t>(UnZigZag(Field()));
  }
  return field_at_ != nullptr;
}

bool Decoder::WithSite(uint64_t number, Event* event) {
  if (number > sites_.size() || (number == sites_.size() && !DefineSite())) return false;
  uint64_t delta = 0;
  delta_at_ = GetVarint(delta_at_, delta_end_, &delta);
  if (delta_at_ == nullptr) return false;
  Site& site = sites_[number];
  uint64_t address = site.address.Guess(last_address_) + static_cast<uint64_t>(UnZigZag(delta));
  site.address.Learn(last_address_, address);
  *event = site.prototype;
  event->address = last_address_ = address;
  if (IsRange(event->kind)) {
    event->arg = Field();
    return field_at_ != nullptr;
  }
  return !IsOrdered(event->kind) || Arguments(&site, event);
}

bool Decoder::Context(Kind kind, Event* event) {
  *event = Event{};
  event->kind = kind;
  if (kind == Kind::StackReset) return true;
  event->address = last_node_ += static_cast<uint64_t>(UnZigZag(Field()));
  if (kind == Kind::Frame) event->pc = last_frame_pc_ += static_cast<uint64_t>(UnZigZag(Field()));
  return field_at_ != nullptr;
}

bool Decoder::Next(Event* event) {
  if (tag_at_ == tag_end_) return false;
  uint64_t tag = 0;
  tag_at_ = GetVarint(tag_at_, tag_end_, &tag);
  if (tag_at_ == nullptr) return Broken();
  bool good = tag >= kSiteTag ? WithSite(tag - kSiteTag, event)
                              : Context(static_cast<Kind>(static_cast<uint64_t>(Kind::Frame) + tag), event);
  return good || Broken();
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
