#include "runtime/detect/heap.h"

#include "runtime/detect/access.h"
#include "runtime/detect/depot.h"
#include "runtime/detect/locks.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/record_lines.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/state.h"
#include "runtime/output/findings_file.h"

namespace heddle::rt::detect {
namespace {

constexpr uint64_t kCheckedAtFree = 1024;
constexpr uint64_t kLargeBlock = uint64_t{128} << 10U;
constexpr uint64_t kSearchBack = uint64_t{64} << 20U;  // blocks that begin further back are not found

uint64_t* BlockEntry(uint64_t address, bool make) {
  Region* region = make ? RegionOf(address) : RegionIfTouched(address);
  return region == nullptr ? nullptr : &region->blocks[(address & (kRegionBytes - 1)) >> 4U];
}

}  // namespace

void BlockAllocated(const Op& op) {
  MemoryGone(op.address, op.arg);
  uint64_t* entry = BlockEntry(op.address, true);
  if (entry == nullptr || op.arg == 0) return;
  uint32_t node = DepotPut(CurrentStack(), op.pc);
  __atomic_store_n(entry, op.arg << kDepotBits | node, __ATOMIC_RELAXED);
}

void BlockFreed(DetectThread* self, const Op& op) {
  uint64_t* entry = BlockEntry(op.address, false);
  uint64_t value = entry == nullptr ? 0 : __atomic_exchange_n(entry, 0, __ATOMIC_RELAXED);
  uint64_t bytes = value >> kDepotBits;
  if (bytes == 0) return;
  uint64_t checked = bytes < kCheckedAtFree ? bytes : kCheckedAtFree;
  // Put back for the time of the check: a report names the block.
  __atomic_store_n(entry, value, __ATOMIC_RELAXED);
  if (t_hot.ignore == 0) CheckAccess(self, op.address, checked, kAccessWrite | kAccessFree, op.pc);
  __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
  ForgetObjects(op.address, bytes, LockFreed);
  if (bytes >= kLargeBlock) ForgetCells(op.address, bytes);
}

void MemoryGone(uint64_t begin, uint64_t bytes) {
  ForgetCells(begin, bytes);
  ForgetObjects(begin, bytes, LockLost);
}

void AddBlock(RecordText& text, uint64_t address) {
  uint64_t granule = address & ~uint64_t{15};
  uint64_t stop = granule > kSearchBack ? granule - kSearchBack : 0;
  for (; granule > stop; granule -= 16) {
    uint64_t* entry = BlockEntry(granule, false);
    if (entry == nullptr) return;
    uint64_t value = __atomic_load_n(entry, __ATOMIC_RELAXED);
    if (value == 0) continue;
    uint64_t bytes = value >> kDepotBits;
    if (address - granule >= bytes) return;
    text.Add("block").Hex(granule).Number(bytes).Line();
    AddStack(text, 0, static_cast<uint32_t>(value) & (kDepotNodes - 1));
    return;
  }
}

}  // namespace heddle::rt::detect
