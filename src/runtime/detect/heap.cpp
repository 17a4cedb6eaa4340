#include "runtime/detect/heap.h"

#include <link.h>

#include <cstring>

#include "runtime/detect/access.h"
#include "runtime/detect/depot.h"
#include "runtime/detect/finding_lines.h"
#include "runtime/detect/locks.h"
#include "runtime/detect/misuse.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/state.h"
#include "runtime/memory/thread_heap.h"
#include "runtime/mode.h"
#include "runtime/output/findings_file.h"

namespace heddle::rt::detect {
namespace {

constexpr uint64_t kCheckedAtFree = 1024;
constexpr uint64_t kCheckedInOwnHeap = uint64_t{1} << 20U;  // of blocks of our own heap, which nobody else uses
constexpr uint64_t kLargeBlock = uint64_t{128} << 10U;
constexpr uint64_t kSearchBack = uint64_t{64} << 20U;  // blocks that begin further back are not found

// Code of libc and of the loader.
struct CodeRange {
  uint64_t begin;
  uint64_t end;
};
constexpr int kSystemRanges = 8;
CodeRange g_system[kSystemRanges];
int g_system_count = 0;

int FindSystemCode(dl_phdr_info* info, size_t, void*) {
  const char* name = info->dlpi_name;
  if (strstr(name, "/libc.so") == nullptr && strstr(name, "/ld-linux") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    bool code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (!code || g_system_count == kSystemRanges) continue;
    uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    g_system[g_system_count++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

bool IsSystemCode(uint64_t pc) {
  for (int i = 0; i < g_system_count; ++i) {
    if (pc >= g_system[i].begin && pc < g_system[i].end) return true;
  }
  return false;
}

uint64_t* BlockEntry(uint64_t address, bool make) {
  Region* region = make ? RegionOf(address) : RegionIfTouched(address);
  return region == nullptr ? nullptr : &region->blocks[(address & (kRegionBytes - 1)) >> 4U];
}

// The beginning of the live block that is nearest at or before the address; 0: none near.
uint64_t BlockBefore(uint64_t address) {
  uint64_t granule = address & ~uint64_t{15};
  uint64_t stop = granule > kSearchBack ? granule - kSearchBack : 0;
  for (; granule > stop; granule -= 16) {
    uint64_t* entry = BlockEntry(granule, false);
    if (entry == nullptr) return 0;
    if (__atomic_load_n(entry, __ATOMIC_RELAXED) != 0) return granule;
  }
  return 0;
}

void AddBlockAt(FindingsText& text, uint64_t block) {
  uint64_t value = __atomic_load_n(BlockEntry(block, false), __ATOMIC_RELAXED);
  text.Add(FindingLine::kBlock).Hex(block).Number(value >> kDepotBits).Line();
  AddStack(text, 0, static_cast<uint32_t>(value) & (kDepotNodes - 1));
}

bool IsOwnHeap(uint64_t address) { return address - kHeapsBegin < kHeapsEnd - kHeapsBegin; }

// Whether the address may be given back; says what is wrong otherwise.
bool MayBeFreed(DetectThread* self, const Op& op) {
  if (!IsOwnHeap(op.address)) return true;
  BlockState state = HeapBlockState(reinterpret_cast<const void*>(op.address));  // NOLINT: in a heap
  if (state == BlockState::kLive) return true;
  if (state == BlockState::kFreed && IsFreed(op.address)) {
    CheckAccess(self, op.address, 1, kAccessWrite | kAccessFree, op.pc);  // tells of both
  } else {
    ReportMisuse(self, Misuse::kBadFree, op.address, op.pc);
  }
  return false;
}

}  // namespace

void StartHeap() { dl_iterate_phdr(FindSystemCode, nullptr); }

void BlockAllocated(const Op& op) {
  MemoryGone(op.address, op.arg2 > op.arg ? op.arg2 : op.arg);
  uint64_t* entry = BlockEntry(op.address, true);
  if (entry == nullptr) return;
  if (IsOwnHeap(op.address)) {
    GuardCells(op.address - kHeapHeader, kHeapHeader);
    GuardCells(op.address + op.arg, kHeapGuard);
  }
  if (op.arg == 0) return;
  uint32_t node = DepotPut(CurrentStack(), op.pc);
  __atomic_store_n(entry, op.arg << kDepotBits | node, __ATOMIC_RELAXED);
}

void BlockFreed(DetectThread* self, const Op& op) {
  if (!MayBeFreed(self, op)) return;
  bool own = IsOwnHeap(op.address);
  uint64_t* entry = BlockEntry(op.address, false);
  uint64_t value = entry == nullptr ? 0 : __atomic_exchange_n(entry, 0, __ATOMIC_RELAXED);
  uint64_t bytes = value >> kDepotBits;
  if (bytes == 0) return;
  if (IsSystemCode(op.pc)) {
    ForgetCells(op.address, bytes);
    return ForgetObjects(op.address, bytes, LockLost);
  }
  uint64_t most = own ? kCheckedInOwnHeap : kCheckedAtFree;
  uint64_t checked = bytes < most ? bytes : most;
  // Large blocks go back to the system, which may put anything in their place.
  bool goes_back = bytes >= kLargeBlock && !own;
  // Put back for the time of the check: a report names the block.
  __atomic_store_n(entry, value, __ATOMIC_RELAXED);
  if (t_hot.ignore == 0 && !goes_back) CheckFree(self, op.address, checked, op.pc);
  if (t_hot.ignore == 0 && goes_back) CheckAccess(self, op.address, checked, kAccessWrite | kAccessFree, op.pc);
  __atomic_store_n(entry, 0, __ATOMIC_RELAXED);
  ForgetObjects(op.address, bytes, LockFreed);
  if (goes_back) ForgetCells(op.address, bytes);
}

// What libc or the system fills with zeros is written by whoever asks for it. How other code hands over what it
// allocates is not seen, so only the program's own calls count.
void MemoryCleared(DetectThread* self, const Op& op) {
  if (t_hot.ignore != 0 || !IsInstrumentedCode(reinterpret_cast<const void*>(op.pc))) return;  // NOLINT
  CheckAccess(self, op.address, op.arg < kCheckedAtFree ? op.arg : kCheckedAtFree, kAccessWrite, op.pc);
}

// Functions that allocate are not async-signal-safe: the handler may have interrupted one. A handler of faults is the
// program's last word, and is let be.
void CheckHandler(DetectThread* self, const Op& op) {
  const Thread* thread = t_hot.thread;
  if (thread == nullptr || thread->handlers == 0) [[likely]]
    return;
  int number = thread->interrupted[thread->handlers - 1].number;
  bool fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGABRT;
  if (fault || !IsInstrumentedCode(reinterpret_cast<const void*>(op.pc))) return;  // NOLINT
  ReportMisuse(self, op.kind == Kind::Alloc ? Misuse::kAllocInHandler : Misuse::kFreeInHandler, 0, op.pc);
}

void MemoryGone(uint64_t begin, uint64_t bytes) {
  ForgetCells(begin, bytes);
  ForgetObjects(begin, bytes, LockLost);
}

void AddBlock(FindingsText& text, uint64_t address) {
  uint64_t block = BlockBefore(address);
  if (block == 0) return;
  uint64_t bytes = __atomic_load_n(BlockEntry(block, false), __ATOMIC_RELAXED) >> kDepotBits;
  if (address - block < bytes) AddBlockAt(text, block);
}

void ReportOutside(DetectThread* self, const AccessRecord& access, uint64_t outside) {
  // Guards lie behind a block and right before one; the header of the next block is both.
  uint64_t before = BlockBefore(outside);
  uint64_t end =
      before == 0 ? 0 : before + (__atomic_load_n(BlockEntry(before, false), __ATOMIC_RELAXED) >> kDepotBits);
  uint64_t behind = BlockBefore(outside + kHeapHeader);
  bool near_end = before != 0 && outside < end + kHeapGuard + kHeapHeader;
  bool near_begin = behind > outside;
  // An access that begins before the guard came from the block before it.
  if (near_begin && near_end && access.address >= outside && behind - outside < outside - end) near_end = false;
  uint64_t block = near_end ? before : near_begin ? behind : 0;
  ReportMisuseAt(self, Misuse::kOutOfBounds, outside, access.pc, access.stack, [&](FindingsText& text) {
    text.Add(FindingLine::kAccess).Number(self->number).Number(access.flags);
    text.Hex(access.address).Number(access.bytes).Line();
    if (block != 0) AddBlockAt(text, block);
  });
}

}  // namespace heddle::rt::detect
