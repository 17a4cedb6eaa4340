#include "runtime/detect/lock_edges.h"

#include "runtime/detect/finding_lines.h"
#include "runtime/output/findings_file.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

SpinLock g_lock;
constinit FindingsText g_text;

// Keys of edges that were written. Read without the lock: a stale look costs a look with it.
constexpr uint32_t kEdgeKeys = 1U << 16U;
constexpr uint32_t kMostEdges = kEdgeKeys / 2;
uint64_t g_keys[kEdgeKeys];
uint32_t g_count = 0;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 31U;
}

uint32_t Find(uint64_t key) {
  uint32_t at = static_cast<uint32_t>(key >> 48U);
  while (true) {
    uint64_t there = __atomic_load_n(&g_keys[at % kEdgeKeys], __ATOMIC_RELAXED);
    if (there == 0 || there == key) return at % kEdgeKeys;
    ++at;
  }
}

void AddMust(DetectThread* self) {
  g_text.Add(FindingLine::kMust).Number(self->order.slot).Number(self->must_epoch);
  for (uint32_t slot = 0; slot < self->must.size(); ++slot) {
    if (self->must.Get(slot) != 0) g_text.Number(slot).Number(self->must.Get(slot));
  }
  g_text.Line();
}

void Write(DetectThread* self, const HeldLock& from, const HeldLock& to) {
  g_text.Reset();
  g_text.Add(FindingLine::kEdge).Number(self->number);
  g_text.Number(from.serial).Hex(from.address).Number(from.shared ? 1 : 0);
  g_text.Number(to.serial).Hex(to.address).Number(to.shared ? 1 : 0).Line();
  g_text.Add(FindingLine::kHeld);
  for (uint32_t i = 0; i < self->held_count; ++i) {
    g_text.Number(self->held[i].serial).Number(self->held[i].shared ? 1 : 0);
  }
  g_text.Line();
  AddMust(self);
  AddStack(g_text, from.pc, from.stack);
  AddStack(g_text, to.pc, to.stack);
  g_text.Add(FindingLine::kEnd).Line();
  AppendFindings(g_text);
}

}  // namespace

void NoteLockEdges(DetectThread* self, const HeldLock& taken) {
  uint64_t set = Mix(Mix(self->locks, self->number), self->must_epoch);
  for (uint32_t i = 0; i < self->must.size(); ++i) set = Mix(set, self->must.Get(i));
  set = Mix(set, taken.serial << 1U | (taken.shared ? 1U : 0U));
  for (uint32_t i = 0; i < self->held_count; ++i) {
    const HeldLock& from = self->held[i];
    uint64_t key = Mix(set, from.serial << 1U | (from.shared ? 1U : 0U)) | 1U;
    if (__atomic_load_n(&g_keys[Find(key)], __ATOMIC_RELAXED) == key) continue;
    SpinHolder hold(g_lock);
    uint32_t place = Find(key);
    if (g_keys[place] == key || g_count == kMostEdges) continue;
    ++g_count;
    __atomic_store_n(&g_keys[place], key, __ATOMIC_RELAXED);
    Write(self, from, taken);
    if (g_count == kMostEdges) AppendFindingsLine(FindingLine::kEdgesFull);
  }
}

}  // namespace heddle::rt::detect
