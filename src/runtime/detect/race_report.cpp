#include "runtime/detect/race_report.h"

#include <cstring>

#include "runtime/detect/finding_lines.h"
#include "runtime/detect/heap.h"
#include "runtime/detect/state.h"
#include "runtime/output/at_finding.h"
#include "runtime/output/findings_file.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

SpinLock g_lock;
constinit FindingsText g_text;

// A pair of code addresses with their kinds.
struct Pair {
  uint64_t low_pc;
  uint64_t high_pc;
  uint16_t flags;
  uint64_t count;
  uint64_t written_count;
};
constexpr uint32_t kPairs = 8192;  // further pairs are not reported; the file says so
Pair g_pairs[kPairs];
uint32_t g_pair_count = 0;
bool g_full = false;

// Looking the earlier access up costs; a code address that races all the time does so only now and then, and its other
// races count for the pair found last.
struct Site {
  uint64_t pc;
  uint64_t races;
  uint32_t pair;
};
constexpr uint32_t kSites = 4096;
constexpr uint64_t kAlwaysSearched = 256;
constexpr uint64_t kSearchEvery = 256;
Site g_sites[kSites];

Site* SiteOf(uint64_t pc) {
  uint32_t at = static_cast<uint32_t>(pc * 0x9E3779B97F4A7C15ULL >> 52U);
  for (uint32_t i = 0; i < 16; ++i) {
    Site* site = &g_sites[(at + i) % kSites];
    if (site->pc == pc) return site;
    if (site->pc == 0) {
      site->pc = pc;
      return site;
    }
  }
  return nullptr;
}

// What AnnotateBenignRace named.
struct Range {
  uint64_t begin;
  uint64_t end;
};
constexpr uint32_t kBenign = 1024;  // further ones are not heeded
Range g_benign[kBenign];
uint32_t g_benign_count = 0;

bool IsAmongBenign(uint64_t word, Cell bits) {
  auto mask = static_cast<uint32_t>(bits & 0xFF);
  uint64_t first = word + static_cast<uint64_t>(__builtin_ctz(mask));
  uint64_t last = word + 31 - static_cast<uint64_t>(__builtin_clz(mask));
  for (uint32_t i = 0; i < g_benign_count; ++i) {
    if (last >= g_benign[i].begin && first < g_benign[i].end) return true;
  }
  return false;
}

void WriteCount(uint32_t pair) {
  FindingsText& text = g_text;
  text.Reset();
  text.Add(FindingLine::kCount).Number(pair).Number(g_pairs[pair].count).Line();
  AppendFindings(text);
  g_pairs[pair].written_count = g_pairs[pair].count;
}

void CountAgain(uint32_t pair) {
  uint64_t count = ++g_pairs[pair].count;
  if ((count & (count - 1)) == 0) WriteCount(pair);
}

void AddAccess(FindingsText& text, uint32_t thread, const AccessRecord& access) {
  text.Add(FindingLine::kAccess).Number(thread).Number(access.flags).Hex(access.address).Number(access.bytes).Line();
  if (access.pc != 0) AddStack(text, access.pc, access.stack);
  AddLocks(text, access.locks);
}

// The access behind a cell; without code address when it is not in the history any more.
AccessRecord Earlier(uint64_t word, Cell bits, Cell other) {
  bool write = bits > 0xFF;
  auto mask = static_cast<uint8_t>(bits & 0xFF);
  auto written = static_cast<uint8_t>(other >> 8U & mask);
  bool by_write = !write || written != 0;
  auto bytes = by_write ? written : static_cast<uint8_t>(other & mask);
  AccessRecord found;
  bool atomic = IsAtomicCell(other);
  uint64_t epoch = EpochOf(other) & ~kFreedEpoch;
  if (HistoryOf(SlotOf(other))->Find(word, bytes, epoch, by_write, atomic, &found)) return found;
  found = AccessRecord{};
  found.address = word + static_cast<uint64_t>(__builtin_ctz(bytes));
  found.bytes = 1;
  found.flags = static_cast<uint8_t>((by_write ? kAccessWrite : 0U) | (atomic ? kAccessAtomic : 0U) |
                                     (IsFreedCell(other) ? kAccessFree : 0U));
  return found;
}

uint32_t FindPair(const AccessRecord& a, const AccessRecord& b, bool* is_new) {
  bool ordered = a.pc <= b.pc;
  const AccessRecord& low = ordered ? a : b;
  const AccessRecord& high = ordered ? b : a;
  auto flags = static_cast<uint16_t>(low.flags << 8U | high.flags);
  for (uint32_t i = 0; i < g_pair_count; ++i) {
    if (g_pairs[i].low_pc == low.pc && g_pairs[i].high_pc == high.pc && g_pairs[i].flags == flags) return i;
  }
  *is_new = true;
  if (g_pair_count == kPairs) return kPairs;
  g_pairs[g_pair_count] = {low.pc, high.pc, flags, 1, 1};
  return g_pair_count++;
}

void WriteRace(uint32_t pair, uint32_t thread, const AccessRecord& access, uint32_t other_thread,
               const AccessRecord& earlier, bool ordered) {
  FindingsText& text = g_text;
  text.Reset();
  text.Add(FindingLine::kRace).Number(pair).Line();
  AddAccess(text, other_thread, earlier);
  AddAccess(text, thread, access);
  AddBlock(text, access.address > earlier.address ? access.address : earlier.address);
  if (ordered) text.Add(FindingLine::kOrdered).Line();
  text.Add(FindingLine::kEnd).Line();
  AppendFindings(text);
  heddle_at_finding("race");
}

}  // namespace

void ReportRace(DetectThread* self, const AccessRecord& access, uint64_t word, Cell bits, Cell other) {
  if (IsGuardCell(other)) {
    auto outside = static_cast<uint32_t>(other & bits & 0xFF);
    return ReportOutside(self, access, word + static_cast<uint64_t>(__builtin_ctz(outside)));
  }
  SpinHolder hold(g_lock);
  if (FindingsDescriptor() < 0 || IsAmongBenign(word, bits)) return;
  Site* site = SiteOf(access.pc);
  if (site != nullptr) {
    ++site->races;
    if (site->races > kAlwaysSearched && site->races % kSearchEvery != 0) return CountAgain(site->pair);
  }
  AccessRecord earlier = Earlier(word, bits, other);
  // An earlier access that is no longer known is the same finding as one at the same place that is.
  if (earlier.pc == 0 && site != nullptr && site->races > 1) return CountAgain(site->pair);
  bool is_new = false;
  uint32_t pair = FindPair(access, earlier, &is_new);
  if (pair == kPairs) {
    if (!g_full) AppendFindingsLine(FindingLine::kFull);
    g_full = true;
    return;
  }
  if (site != nullptr) site->pair = pair;
  if (!is_new) return CountAgain(pair);
  uint64_t epoch = EpochOf(other) & ~kFreedEpoch;
  // The free came before: no race, but a use of what is gone.
  bool ordered = IsFreedCell(other) && epoch <= self->order.now.Get(SlotOf(other));
  WriteRace(pair, self->number, access, OwnerOf(SlotOf(other), epoch), earlier, ordered);
}

void IsBenign(uint64_t begin, uint64_t bytes) {
  SpinHolder hold(g_lock);
  if (g_benign_count < kBenign) g_benign[g_benign_count++] = {begin, begin + bytes};
}

void WriteRaceCounts() {
  SpinHolder hold(g_lock);
  for (uint32_t i = 0; i < g_pair_count; ++i) {
    if (g_pairs[i].count != g_pairs[i].written_count) WriteCount(i);
  }
}

void LockReports() { g_lock.Lock(); }
void UnlockReports() { g_lock.Unlock(); }
void ForgetReports() {
  g_pair_count = 0;
  memset(g_sites, 0, sizeof g_sites);
}

}  // namespace heddle::rt::detect
