// Plain accesses in trace mode. The hot path: one look into the filter whether this segment has recorded the bytes
// already (filter.h), else write one 16-byte slot into the live buffer. No lock, no atomic, no system call until the
// buffer is full.
#include <cstring>

#include "runtime/mode.h"
#include "runtime/options.h"
#include "runtime/output/trace_file.h"
#include "runtime/record/filter.h"
#include "runtime/record/recorder.h"
#include "runtime/record/trace_mode.h"
#include "runtime/threads/shadow_stack.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {

void ForgetNodes(Thread* thread) {
  memset(thread->nodes, 0, sizeof thread->nodes);
  for (Frame* frame = thread->frames; frame < StoredTop(); ++frame) frame->node = 0;
  thread->node_count = 0;
  thread->stack_node = 0;
}

namespace {

using trace::PackHead;
using trace::PackTail;
using trace::Slot;

uint64_t PcNumber(const void* pc) { return reinterpret_cast<uint64_t>(pc) & trace::kAddressMask; }

// The node of the innermost call, numbering calls that have no number yet. Records the new ones.
uint64_t NodeOfTop(Recorder* recorder, Thread* thread, Frame* top) {
  Frame* unknown = top;
  while (unknown > thread->frames && unknown[-1].node == 0) --unknown;
  uint64_t parent = unknown == thread->frames ? 0 : unknown[-1].node;
  for (; unknown < top; ++unknown) {
    uint64_t hash = (unknown->call_pc * 0x9E3779B97F4A7C15ULL) ^ (parent * 0xC2B2AE3D27D4EB4FULL);
    uint32_t i = static_cast<uint32_t>(hash >> 48U) % kFrameNodes;
    while (thread->nodes[i].node != 0 &&
           (thread->nodes[i].parent != parent || thread->nodes[i].call_pc != unknown->call_pc)) {
      i = (i + 1) % kFrameNodes;
    }
    FrameNode& entry = thread->nodes[i];
    if (entry.node == 0) {
      entry = {unknown->call_pc, static_cast<uint32_t>(parent), ++thread->node_count};
      Slot* slot = recorder->Room(1);
      if (slot == nullptr) return 0;
      slot->tail = PackTail(unknown->call_pc, 0, 0);
      slot->head = PackHead(Kind::Frame, 0, parent);
      recorder->Publish(1);
    }
    parent = unknown->node = entry.node;
  }
  return parent;
}

// The table of numbered calls is full: start over, so that memory stays bounded in programs with endless call paths.
void ResetNodes(Recorder* recorder, Thread* thread) {
  ForgetNodes(thread);
  Slot* slot = recorder->Room(1);
  if (slot == nullptr) return;
  slot->tail = 0;
  slot->head = PackHead(Kind::StackReset, 0, 0);
  recorder->Publish(1);
}

}  // namespace

void RecordNewStack(Recorder* recorder, Thread* thread) {
  // A handler's stream has no numbered calls: the numbers are those of the thread's own stream.
  if (!g_options.stacks || thread->handlers != 0) return;
  Frame* top = StoredTop();
  // One walk numbers at most the depth of the stack.
  if (thread->node_count + static_cast<uint64_t>(top - thread->frames) > kFrameNodes * 3 / 4) {
    ResetNodes(recorder, thread);
    if (static_cast<uint64_t>(top - thread->frames) > kFrameNodes / 2) return;  // deeper than the table: no stacks
  }
  uint64_t node = NodeOfTop(recorder, thread, top);
  Slot* slot = recorder->Room(1);
  if (slot == nullptr) return;
  slot->tail = 0;
  slot->head = PackHead(Kind::Stack, 0, node);
  recorder->Publish(1);
  thread->stack_node = node;
  t_hot.run_start = slot + 1;
}

namespace {

// The whole question, for accesses that may lie in two or three words. Adds what is not covered.
inline bool Covered(uint64_t where, uint64_t bytes, bool write, uint64_t segment) {
  bool covered = true;
  for (uint64_t at = where; at < where + bytes; at = (at | 7U) + 1) {
    uint64_t word_end = (at | 7U) + 1;
    uint64_t end = where + bytes < word_end ? where + bytes : word_end;
    uint64_t mask = ((uint64_t{1} << (end - at)) - 1) << (at & 7U);
    uint64_t wanted = segment | FilterTag(at);
    uint64_t* entry = FilterEntry(at);
    if (FilterMissing(*entry, wanted, mask, write) == 0) continue;
    covered = false;
    FilterAdd(entry, wanted, mask, write);
  }
  return covered;
}

// A loop that walks over memory becomes few records: an access right behind one that the same instruction made is
// added to its record (sizes up to 255), if that is among the last few and nothing else began in between.
// Not where a reader may have read the record already.
inline bool ExtendRun(Slot* slot, uint64_t head, uint64_t tail, uint64_t bytes) {
  constexpr int kLookBack = 4;
  if (g_options.live) return false;
  for (Slot* before = slot - 1; before >= t_hot.run_start && before >= slot - kLookBack; --before) {
    if (before->tail != tail) continue;
    uint64_t size = trace::DetailByte(*before);
    // The same kind, and its end is our address.
    bool adjacent =
        trace::KindByte(*before) == head >> 56U && trace::AddressOf(*before) + size == (head & trace::kAddressMask);
    if (!adjacent || size + bytes > 255) return false;
    before->head += bytes << 48U;
    return true;
  }
  return false;
}

// Asked before the filter: what is not recorded must not count as recorded either.
inline bool IsIgnored() { return (t_hot.in_runtime | t_hot.ignore) != 0; }

void Record(uint64_t head, uint64_t tail, uint64_t bytes, bool range) {
  Recorder* recorder = t_hot.recorder;
  if (recorder == nullptr) [[unlikely]] {
    if (CurrentThread() == nullptr || t_hot.recorder == nullptr) return;
    recorder = t_hot.recorder;
  }
  RuntimeScope scope;
  RecordStack(recorder, t_hot.thread);
  uint32_t slots = range ? 2 : 1;
  Slot* slot = recorder->Room(slots);
  if (slot == nullptr) return;
  if (!range && ExtendRun(slot, head, tail, bytes)) return;
  if (range) slot[1] = {bytes, 0};
  slot->tail = tail;
  slot->head = head;
  recorder->Publish(slots);
}

template <Kind kKind, uint32_t kLog, uint8_t kFlags>
inline void RecordSized(uint64_t where, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  Record(PackHead(kKind, kBytes, where), PackTail(PcNumber(pc), kFlags, 0), kBytes, false);
}

inline void KeepGeneration() {
  if (t_hot.filter_generation != g_filter_generation.load(std::memory_order_relaxed)) [[unlikely]]
    RenewSegment();
}

// An access that does not lie in one word.
template <Kind kKind, uint32_t kLog, uint8_t kFlags>
__attribute__((noinline)) void AccessWide(uint64_t where, void* pc) {
  if (IsIgnored()) return;
  where &= trace::kAddressMask;
  if (__heddle_segment != 0) {
    KeepGeneration();
    if (Covered(where, uint64_t{1} << kLog, kKind == Kind::Write, __heddle_segment)) return;
  }
  RecordSized<kKind, kLog, kFlags>(where, pc);
}

// The bits of the accessed bytes in their word; above 0xFF when the access does not lie in one.
template <uint32_t kLog>
constexpr uint64_t WordMask(uint64_t where) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  return kBytes <= 8 ? ((uint64_t{1} << kBytes) - 1) << (where & 7U) : ~uint64_t{0};
}

// An access that the filter does not have; the caller has looked. Out of line, so that the look needs no frame.
template <Kind kKind, uint32_t kLog, uint8_t kFlags = 0>
__attribute__((noinline)) void FreshAccess(void* address, void* pc) {
  uint64_t where = reinterpret_cast<uint64_t>(address);
  uint64_t mask = WordMask<kLog>(where);
  if (mask > 0xFF) return AccessWide<kKind, kLog, kFlags>(where, pc);
  if (IsIgnored()) return;
  if (__heddle_segment != 0) {
    KeepGeneration();
    FilterAdd(FilterEntry(where), __heddle_segment | FilterTag(where), mask, kKind == Kind::Write);
  }
  RecordSized<kKind, kLog, kFlags>(where & trace::kAddressMask, pc);
}

template <Kind kKind, uint32_t kLog, uint8_t kFlags = 0>
void Access(void* address, void* pc) {
  uint64_t where = reinterpret_cast<uint64_t>(address);
  uint64_t mask = WordMask<kLog>(where);
  uint64_t wanted = __heddle_segment | FilterTag(where);
  if (mask <= 0xFF && FilterMissing(*FilterEntry(where), wanted, mask, kKind == Kind::Write) == 0) [[likely]]
    return;
  FreshAccess<kKind, kLog, kFlags>(address, pc);
}

// Longer ranges would drive everything else out of the filter.
constexpr uint64_t kFilteredRange = kFilterBytes / 16;

template <Kind kKind>
void RangeAccess(void* address, uint64_t bytes, void* pc) {
  if (bytes == 0 || IsIgnored()) return;
  if (__heddle_segment != 0 && bytes <= kFilteredRange) {
    KeepGeneration();
    uint64_t where = reinterpret_cast<uint64_t>(address) & trace::kAddressMask;
    if (Covered(where, bytes, kKind == Kind::WriteRange, __heddle_segment)) return;
  }
  Record(PackHead(kKind, 0, reinterpret_cast<uint64_t>(address)), PackTail(PcNumber(pc), 0, 0), bytes, true);
}

}  // namespace

const AccessTable kTraceAccess = {
    .fresh_read = {FreshAccess<Kind::Read, 0>, FreshAccess<Kind::Read, 1>, FreshAccess<Kind::Read, 2>,
                   FreshAccess<Kind::Read, 3>, FreshAccess<Kind::Read, 4>},
    .fresh_write = {FreshAccess<Kind::Write, 0>, FreshAccess<Kind::Write, 1>, FreshAccess<Kind::Write, 2>,
                    FreshAccess<Kind::Write, 3>, FreshAccess<Kind::Write, 4>},
    .read = {Access<Kind::Read, 0>, Access<Kind::Read, 1>, Access<Kind::Read, 2>, Access<Kind::Read, 3>,
             Access<Kind::Read, 4>},
    .write = {Access<Kind::Write, 0>, Access<Kind::Write, 1>, Access<Kind::Write, 2>, Access<Kind::Write, 3>,
              Access<Kind::Write, 4>},
    .vptr_read = Access<Kind::Read, 3, trace::kAccessVptr>,
    .vptr_write = Access<Kind::Write, 3, trace::kAccessVptr>,
    .read_range = RangeAccess<Kind::ReadRange>,
    .write_range = RangeAccess<Kind::WriteRange>,
    .function_entry = FunctionEntry,
    .function_exit = FunctionExit,
};

}  // namespace heddle::rt
