#include "runtime/detect/misuse.h"

#include "runtime/detect/finding_lines.h"
#include "runtime/detect/state.h"
#include "runtime/mode.h"
#include "runtime/output/at_finding.h"
#include "runtime/output/findings_file.h"
#include "runtime/spin.h"

namespace heddle::rt::detect {
namespace {

SpinLock g_lock;
constinit FindingsText g_text;
constexpr uint32_t kSeen = 1024;  // further ones are not reported
uint64_t g_seen[kSeen];
uint32_t g_seen_count = 0;

bool IsNew(Misuse what, uint64_t place) {
  uint64_t key = place << 8U | static_cast<uint64_t>(what);
  for (uint32_t i = 0; i < g_seen_count; ++i) {
    if (g_seen[i] == key) return false;
  }
  if (g_seen_count == kSeen) return false;
  g_seen[g_seen_count++] = key;
  return true;
}

}  // namespace

void ReportMisuse(DetectThread* self, Misuse what, uint64_t object, uint64_t pc) {
  ReportMisuseAt(self, what, object, pc, CurrentStack());
}

void ReportUnorderedLife(DetectThread* self, Misuse what, uint64_t object, uint64_t pc) {
  if (IsInstrumentedCode(reinterpret_cast<const void*>(pc))) ReportMisuse(self, what, object, pc);  // NOLINT
}

FindingsText* BeginMisuse(DetectThread* self, Misuse what, uint64_t object, uint64_t pc, uint32_t stack) {
  g_lock.Lock();
  if (!IsNew(what, pc != 0 ? pc : object)) {
    g_lock.Unlock();
    return nullptr;
  }
  g_text.Reset();
  g_text.Add(FindingLine::kMisuse).Add(WordOf(what)).Number(self->number).Hex(object).Line();
  AddStack(g_text, pc, stack);
  AddLocks(g_text, self->locks);
  return &g_text;
}

void EndMisuse() {
  g_text.Add(FindingLine::kEnd).Line();
  AppendFindings(g_text);
  heddle_at_finding("misuse");
  g_lock.Unlock();
}

void ReportMisuseAt(DetectThread* self, Misuse what, uint64_t object, uint64_t pc, uint32_t stack) {
  ReportMisuseAt(self, what, object, pc, stack, [](FindingsText&) {});
}

}  // namespace heddle::rt::detect
