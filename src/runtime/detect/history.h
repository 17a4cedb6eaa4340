// What a thread slot accessed lately, so that a race found later can name the code of the earlier access. A ring of
// 16-byte records that only the slot's thread writes and any thread reads; what is overwritten is gone, and a report
// then says that the stack is not known any more.
//
//   access   flags in bits 61..56, size in 55..48, address in 47..0; the second word is the code address
//   length   bits 63 and 62 set; the second word is the size of the access behind it, whose own says 255
//   context  bit 63 set, 62 clear, locks held (depot node) below; the second word is the epoch and the stack (depot
//   node)
//
// A context holds for the accesses after it. One is written when it changed and every kContextEvery records.
#pragma once

#include <cstdint>

#include "runtime/detect/depot.h"
#include "wire/findings_file.h"

namespace heddle::rt::detect {

inline constexpr uint32_t kHistoryRecords = 1U << 15U;
inline constexpr uint32_t kContextEvery = 512;
inline constexpr uint64_t kLargest = 255;
inline constexpr uint64_t kLengthRecord = uint64_t{3} << 62U;

using wire::kAccessAtomic;
using wire::kAccessFree;
using wire::kAccessWrite;

struct AccessRecord {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t pc = 0;  // 0: not known any more
  uint8_t flags = 0;
  uint32_t stack = 0;
  uint32_t locks = 0;
};

class History {
 public:
  void Note(uint64_t address, uint64_t bytes, uint8_t flags, uint64_t pc, uint64_t epoch, uint32_t stack,
            uint32_t locks) {
    uint64_t where = epoch << kDepotBits | stack;
    if (where != where_ || locks != locks_ || next_ % kContextEvery == 0) {
      where_ = where;
      locks_ = locks;
      Put(uint64_t{1} << 63U | locks, where);
    }
    uint64_t size = bytes < kLargest ? bytes : kLargest;
    if (size == kLargest) [[unlikely]]
      Put(kLengthRecord, bytes);
    Put(uint64_t{flags} << 56U | size << 48U | address, pc);
  }

  // The latest access of this epoch to a byte of `mask` in the aligned word at `word`, with these flags.
  bool Find(uint64_t word, uint8_t mask, uint64_t epoch, bool write, bool atomic, AccessRecord* out) const;

 private:
  struct Record {
    uint64_t head;
    uint64_t tail;
  };
  // How much the access in record `at` touched; 0 when that has been overwritten.
  uint64_t BytesOf(uint64_t at, uint64_t begin) const;
  void Put(uint64_t head, uint64_t tail) {
    Record& record = ring_[next_ % kHistoryRecords];
    record = {head, tail};
    __atomic_store_n(&next_, next_ + 1, __ATOMIC_RELEASE);
  }

  uint64_t next_ = 0;
  uint64_t where_ = 0;
  uint32_t locks_ = 0;
  Record ring_[kHistoryRecords];
};

}  // namespace heddle::rt::detect
