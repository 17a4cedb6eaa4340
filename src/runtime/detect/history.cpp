#include "runtime/detect/history.h"

namespace heddle::rt::detect {
namespace {

constexpr uint64_t kAddressBits = (uint64_t{1} << 48U) - 1;

bool Touches(uint64_t head, uint64_t bytes, uint64_t word, uint8_t mask, bool write, bool atomic) {
  auto flags = static_cast<uint8_t>(head >> 56U);
  if (((flags & kAccessWrite) != 0) != write || ((flags & kAccessAtomic) != 0) != atomic) return false;
  uint64_t begin = head & kAddressBits;
  for (uint32_t i = 0; i < 8; ++i) {
    if ((mask >> i & 1U) != 0 && word + i >= begin && word + i < begin + bytes) return true;
  }
  return false;
}

}  // namespace

uint64_t History::BytesOf(uint64_t at, uint64_t begin) const {
  uint64_t bytes = ring_[at % kHistoryRecords].head >> 48U & 0xFFU;
  if (bytes != kLargest) return bytes;
  if (at <= begin) return 0;
  const Record& before = ring_[(at - 1) % kHistoryRecords];
  return before.head == kLengthRecord ? before.tail : 0;
}

bool History::Find(uint64_t word, uint8_t mask, uint64_t epoch, bool write, bool atomic, AccessRecord* out) const {
  uint64_t end = __atomic_load_n(&next_, __ATOMIC_ACQUIRE);
  uint64_t begin = end > kHistoryRecords ? end - kHistoryRecords : 0;
  bool found = false;
  for (uint64_t at = end; at > begin; --at) {
    Record record = ring_[(at - 1) % kHistoryRecords];
    if ((record.head >> 63U) == 0) {
      if (found) continue;
      uint64_t bytes = BytesOf(at - 1, begin);
      if (!Touches(record.head, bytes, word, mask, write, atomic)) continue;
      out->address = record.head & kAddressBits;
      out->bytes = bytes;
      out->flags = static_cast<uint8_t>(record.head >> 56U);
      out->pc = record.tail;
      found = true;
      continue;
    }
    if (record.head == kLengthRecord) continue;
    uint64_t its_epoch = record.tail >> kDepotBits;
    if (its_epoch < epoch) return false;
    if (its_epoch > epoch) {
      found = false;
      continue;
    }
    if (!found) continue;
    out->stack = static_cast<uint32_t>(record.tail) & (kDepotNodes - 1);
    out->locks = static_cast<uint32_t>(record.head);
    return true;
  }
  return false;
}

}  // namespace heddle::rt::detect
