// What a thread slot accessed lately, so that a race found later can name the code of the earlier access. A ring of
// 16-byte records that only the slot's thread writes and any thread reads; what is overwritten is gone, and a report
// then says that the stack is not known any more.
//
//   access   flags in bits 62..56, size in 55..48, address in 47..0; the second word is the code address
//   context  bit 63 set, locks held (depot node) below; the second word is the epoch and the stack (depot node)
//
// A context holds for the accesses after it. One is written when it changed and every kContextEvery records.
#pragma once

#include <cstdint>

#include "runtime/detect/depot.h"

namespace heddle::rt::detect {

inline constexpr uint32_t kHistoryRecords = 1U << 15U;
inline constexpr uint32_t kContextEvery = 512;

inline constexpr uint8_t kAccessWrite = 1;
inline constexpr uint8_t kAccessAtomic = 2;
inline constexpr uint8_t kAccessFree = 4;  // the block was given back

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
    constexpr uint64_t kLargest = 255;
    uint64_t size = bytes < kLargest ? bytes : kLargest;
    Put(uint64_t{flags} << 56U | size << 48U | address, pc);
  }

  // The latest access of this epoch to a byte of `mask` in the aligned word at `word`, with these flags. Ranges of more
  // than 254 bytes are found by any address at or behind their begin.
  bool Find(uint64_t word, uint8_t mask, uint64_t epoch, bool write, bool atomic, AccessRecord* out) const;

 private:
  struct Record {
    uint64_t head;
    uint64_t tail;
  };
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
