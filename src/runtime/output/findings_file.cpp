#include "runtime/output/findings_file.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {
namespace {

int g_fd = -1;
FindingsTap g_tap = nullptr;
char g_place[4096] = "";

int OpenHigh(const char* path) {
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  // The program may close every descriptor it finds: a high number is out of the way of most.
  long high = Sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return static_cast<int>(fd);
  Sys(SYS_close, fd);
  return static_cast<int>(high);
}

// Ends the file for good. Its last line is left without an end, by which a reader sees that something is missing.
void GiveUp(bool whole_line) {
  Message("cannot write findings: the disk is full?");
  long size = Sys(SYS_lseek, g_fd, 0, SEEK_END);
  if (whole_line && size > 0) Sys(SYS_ftruncate, g_fd, size - 1);
  Sys(SYS_close, g_fd);
  g_fd = -1;
}

}  // namespace

FindingsText& FindingsText::Add(const char* word) {
  if (used_ > 0 && data_[used_ - 1] != '\n') Put(' ');
  for (; *word != '\0'; ++word) Put(*word);
  return *this;
}

FindingsText& FindingsText::Hex(uint64_t value) {
  char digits[20];
  snprintf(digits, sizeof digits, "%lx", static_cast<unsigned long>(value));
  return Add(digits);
}

FindingsText& FindingsText::Number(uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lu", static_cast<unsigned long>(value));
  return Add(digits);
}

FindingsText& FindingsText::Line() {
  if (used_ + 1 >= sizeof data_) {
    // The last line was cut: take it away.
    while (used_ > 0 && data_[used_ - 1] != '\n') --used_;
    return *this;
  }
  Put('\n');
  return *this;
}

void PlaceFindings(const char* path) { snprintf(g_place, sizeof g_place, "%s", path); }

bool CreateFindingsFile(const char* path) {
  if (*g_place != '\0') path = g_place;
  char name[sizeof g_place + 32];
  snprintf(name, sizeof name, "%s", path);
  for (int attempt = 0; (g_fd = OpenHigh(name)) < 0 && errno == EEXIST && attempt < 1000; ++attempt) {
    snprintf(name, sizeof name, "%s.%d.%d", path, static_cast<int>(Sys(SYS_getpid)), attempt);
  }
  if (g_fd < 0) {
    Message("cannot write findings, the program runs without analysis: ", name);
    return false;
  }
  AppendFindings(wire::kFindingsHead, sizeof wire::kFindingsHead - 1);
  return true;
}

void TapFindings(FindingsTap tap) { g_tap = tap; }

void AppendFindings(const char* text, size_t bytes) {
  if (g_tap != nullptr) return g_tap(text, bytes);
  bool whole_line = true;  // what is in the file by now
  while (bytes > 0 && g_fd >= 0) {
    long n = Sys(SYS_write, g_fd, text, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return GiveUp(whole_line);
    text += n;
    whole_line = text[-1] == '\n';
    bytes -= static_cast<size_t>(n);
  }
}

void AppendFindingsLine(FindingLine line, const char* rest) {
  char text[128];
  int length =
      snprintf(text, sizeof text, "%s%s%s\n", WordOf(line), rest == nullptr ? "" : " ", rest == nullptr ? "" : rest);
  if (length > 0 && static_cast<size_t>(length) < sizeof text) AppendFindings(text, static_cast<size_t>(length));
}

int FindingsDescriptor() { return g_fd; }

void ForgetFindingsFile() {
  if (g_fd >= 0) Sys(SYS_close, g_fd);
  g_fd = -1;
}

}  // namespace heddle::rt
