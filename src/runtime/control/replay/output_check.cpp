#include "runtime/control/replay/output_check.h"

#include <unistd.h>
#include <xxhash.h>

#include "runtime/control/replay/demo.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/output/findings_file.h"

namespace heddle::rt::control {
namespace {

uint64_t g_hash = 0;
bool g_differs = false;
constexpr size_t kShown = 40;

// output STEP THREAD PC TEXT
void Report(const ControlThread* self, const unsigned char* data, size_t bytes, uint64_t pc) {
  static FindingsText text;
  char shown[2 * kShown + 1];
  size_t count = bytes < kShown ? bytes : kShown;
  for (size_t i = 0; i < count; ++i) {
    shown[2 * i] = "0123456789abcdef"[data[i] >> 4U];
    shown[2 * i + 1] = "0123456789abcdef"[data[i] & 15U];
  }
  shown[2 * count] = '\0';
  text.Reset();
  text.Add(FindingLine::kOutput).Number(g_steps + 1).Number(self->number).Hex(pc).Add(count == 0 ? "20" : shown).Line();
  AppendFindings(text);
}

}  // namespace

bool OutputChecked(int fd) {
  return g_demo != Demo::Off && (fd == STDOUT_FILENO || fd == STDERR_FILENO) && Self() != nullptr;
}
bool OutputChecked(const FILE* file) {
  return g_demo != Demo::Off && (file == stdout || file == stderr) && Self() != nullptr;
}

void NoteOutput(const void* data, size_t bytes, uint64_t pc) {
  g_hash = XXH64(data, bytes, g_hash);
  auto wanted = static_cast<int64_t>(g_hash & 0xFFFFFFFFU);
  if (g_demo == Demo::Record) {
    if (IsIgnored(DemoCall::kOutput)) return KeepReissued(DemoCall::kOutput);
    return Keep(DemoCall::kOutput, wanted, 0, nullptr, 0, 0);
  }
  int64_t recorded = 0;
  if (!PlayBack(DemoCall::kOutput, &recorded, nullptr, 0) || recorded == wanted || g_differs) return;
  g_differs = true;
  Report(Self(), static_cast<const unsigned char*>(data), bytes, pc);
}

}  // namespace heddle::rt::control
