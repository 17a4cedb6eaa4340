#include "runtime/control/record.h"

#include "runtime/detect/record_file.h"
#include "runtime/record/output.h"
#include "runtime/record/process_text.h"

namespace heddle::rt::control {
namespace {

const char* g_path = nullptr;
bool g_mine = false;

// A trace needs the same lines.
void ToBoth(const char* text, size_t bytes) {
  g_output.AppendText(text, static_cast<uint32_t>(bytes));
  detect::AppendRecord(text, bytes);
}

}  // namespace

bool StartRecord(const char* path, Mode mode) {
  g_path = path;
  g_mine = mode != Mode::Detect;  // which writes it
  if (!g_mine) return true;
  if (!detect::CreateRecord(path)) return false;
  if (mode == Mode::Trace) {
    SetTextSink(ToBoth);
  } else {
    SetTextSink(detect::AppendRecord);
  }
  WriteProcessText();
  return true;
}

void RestartRecord() {
  if (!g_mine) return;
  detect::ForgetRecord();
  if (!detect::CreateRecord(g_path)) return;
  WriteProcessText();
  if (t_hot.thread != nullptr) WriteThreadText(t_hot.thread);
}

}  // namespace heddle::rt::control
