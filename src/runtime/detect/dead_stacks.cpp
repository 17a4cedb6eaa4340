#include "runtime/detect/dead_stacks.h"

#include "runtime/detect/misuse.h"
#include "runtime/detect/state.h"
#include "runtime/output/findings_file.h"

namespace heddle::rt::detect {

uint64_t g_dead_low = 0;
uint64_t g_dead_bytes = 0;

namespace {

struct Range {
  uint64_t low;
  uint64_t high;
  bool kept;
};
constexpr uint32_t kMost = 64;     // the oldest is forgotten for a new one
constexpr uint32_t kFromLibc = 4;  // of 8 MiB each; libc keeps 40 MiB
Range g_dead[kMost];
uint32_t g_count = 0;

void Forget(uint32_t index) {
  for (uint32_t i = index; i + 1 < g_count; ++i) g_dead[i] = g_dead[i + 1];
  --g_count;
}

void ForgetOldest(bool kept) {
  for (uint32_t i = 0; i < g_count; ++i) {
    if (g_dead[i].kept == kept) return Forget(i);
  }
}

void FindBounds() {
  uint64_t low = UINT64_MAX;
  uint64_t high = 0;
  for (uint32_t i = 0; i < g_count; ++i) {
    low = g_dead[i].low < low ? g_dead[i].low : low;
    high = g_dead[i].high > high ? g_dead[i].high : high;
  }
  g_dead_low = g_count == 0 ? 0 : low;
  g_dead_bytes = g_count == 0 ? 0 : high - low;
}

}  // namespace

void StackBegins(uint64_t low, uint64_t bytes) {
  if (g_count == 0) [[likely]]
    return;
  for (uint32_t i = g_count; i > 0; --i) {
    if (g_dead[i - 1].low < low + bytes && low < g_dead[i - 1].high) Forget(i - 1);
  }
  FindBounds();
}

void StackEnds(uint64_t low, uint64_t bytes, bool kept) {
  if (bytes == 0) return;
  uint32_t same = 0;
  for (uint32_t i = 0; i < g_count; ++i) same += g_dead[i].kept == kept ? 1 : 0;
  if (!kept && same == kFromLibc) ForgetOldest(false);
  if (g_count == kMost) Forget(0);
  g_dead[g_count++] = {low, low + bytes, kept};
  FindBounds();
}

void CheckDeadStack(DetectThread* self, const AccessRecord& access) {
  for (uint32_t i = 0; i < g_count; ++i) {
    if (access.address < g_dead[i].low || access.address >= g_dead[i].high) continue;
    return ReportMisuseAt(self, Misuse::kDeadStack, access.address, access.pc, access.stack, [&](FindingsText& text) {
      text.Add(FindingLine::kAccess).Number(self->number).Number(access.flags);
      text.Hex(access.address).Number(access.bytes).Line();
    });
  }
}

}  // namespace heddle::rt::detect
