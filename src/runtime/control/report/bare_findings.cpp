#include "runtime/control/report/bare_findings.h"

#include "runtime/output/findings_file.h"
#include "runtime/output/process_text.h"
#include "runtime/output/trace_file.h"

namespace heddle::rt::control {
namespace {

const char* g_path = nullptr;
bool g_mine = false;

// A trace needs the same lines.
void ToBoth(const char* text, size_t bytes) {
  g_output.AppendText(text, static_cast<uint32_t>(bytes));
  AppendFindings(text, bytes);
}

}  // namespace

bool StartBareFindings(const char* path, Mode mode) {
  g_path = path;
  g_mine = mode != Mode::Detect;  // which writes it
  if (!g_mine) return true;
  if (!CreateFindingsFile(path)) return false;
  if (mode == Mode::Trace) {
    SetTextSink(ToBoth);
  } else {
    SetTextSink(AppendFindings);
  }
  WriteProcessText();
  return true;
}

void RestartBareFindings() {
  if (!g_mine) return;
  ForgetFindingsFile();
  if (!CreateFindingsFile(g_path)) return;
  WriteProcessText();
  if (t_hot.thread != nullptr) WriteThreadText(t_hot.thread);
}

void MoveBareFindings(const char* path) {
  ForgetFindingsFile();
  g_path = path;
  if (CreateFindingsFile(path)) WriteProcessText();
}

}  // namespace heddle::rt::control
