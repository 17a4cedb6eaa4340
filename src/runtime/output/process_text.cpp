#include "runtime/output/process_text.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "runtime/output/trace_file.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {
namespace {

// Lines are collected in one static buffer and written when it is full; the lock makes it one writer.
SpinLock g_text_lock;
char g_text[16384];
size_t g_text_used = 0;

void ToTrace(const char* text, size_t bytes) { g_output.AppendText(text, static_cast<uint32_t>(bytes)); }
void (*g_sink)(const char*, size_t) = ToTrace;

void FlushText() {
  if (g_text_used > 0 && g_sink != nullptr) g_sink(g_text, g_text_used);
  g_text_used = 0;
}

void AddLine(const char* line, size_t bytes) {
  if (bytes + 1 > sizeof g_text) bytes = sizeof g_text - 1;
  if (g_text_used + bytes + 1 > sizeof g_text) FlushText();
  memcpy(g_text + g_text_used, line, bytes);
  // A newline inside would be a second line.
  for (size_t i = 0; i < bytes; ++i) {
    char& c = g_text[g_text_used + i];
    if (c == '\n' || c == '\0') c = ' ';
  }
  g_text_used += bytes;
  g_text[g_text_used++] = '\n';
}

// Modules that were described already, by load address.
constexpr int kMaxModules = 4096;
uint64_t g_modules[kMaxModules];
int g_module_count = 0;

void BuildId(const dl_phdr_info* info, char* out, size_t bytes) {
  snprintf(out, bytes, "-");
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
    const char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* name = at + sizeof *note;
      const char* data = name + ((note->n_namesz + 3U) & ~3U);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        for (uint32_t b = 0; b < note->n_descsz && 2 * b + 2 < bytes; ++b) {
          snprintf(out + 2 * b, 3, "%02x", static_cast<unsigned char>(data[b]));
        }
        return;
      }
      at = data + ((note->n_descsz + 3U) & ~3U);
    }
  }
}

void ExecutablePath(char* out, size_t bytes) {
  long n = Sys(SYS_readlink, "/proc/self/exe", out, bytes - 1);
  out[n < 0 ? 0 : n] = '\0';
}

int AddModule(dl_phdr_info* info, size_t, void*) {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    uint64_t from = info->dlpi_addr + segment.p_vaddr;
    if (from < begin) begin = from;
    if (from + segment.p_memsz > end) end = from + segment.p_memsz;
  }
  if (begin >= end) return 0;
  for (int i = 0; i < g_module_count; ++i) {
    if (g_modules[i] == begin) return 0;
  }
  if (g_module_count < kMaxModules) g_modules[g_module_count++] = begin;
  char path[2048];
  if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0') {
    ExecutablePath(path, sizeof path);
  } else {
    snprintf(path, sizeof path, "%s", info->dlpi_name);
  }
  char build_id[80];
  BuildId(info, build_id, sizeof build_id);
  char line[2300];
  int n = snprintf(line, sizeof line, "module %lx %lx %lx %s %s", static_cast<unsigned long>(info->dlpi_addr),
                   static_cast<unsigned long>(begin), static_cast<unsigned long>(end), build_id, path);
  AddLine(line, static_cast<size_t>(n));
  return 0;
}

void AddCommand() {
  long fd = Sys(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char line[4096] = "command ";
  long n = Sys(SYS_read, fd, line + 8, sizeof line - 8);
  Sys(SYS_close, fd);
  if (n > 0) AddLine(line, 8 + static_cast<size_t>(n) - 1);
}

}  // namespace

void LockText() { g_text_lock.Lock(); }
void UnlockText() { g_text_lock.Unlock(); }
void SetTextSink(void (*sink)(const char* text, size_t bytes)) { g_sink = sink; }

void WriteProcessText() {
  SpinHolder hold(g_text_lock);
  g_module_count = 0;
  AddCommand();
  dl_iterate_phdr(AddModule, nullptr);
  FlushText();
}

void WriteModulesText() {
  SpinHolder hold(g_text_lock);
  dl_iterate_phdr(AddModule, nullptr);
  FlushText();
}

void WriteThreadText(const Thread* thread) {
  if (g_sink == nullptr) return;
  SpinHolder hold(g_text_lock);
  char line[128];
  int n = snprintf(line, sizeof line, "thread %u %s %lx", thread->number, thread->id,
                   static_cast<unsigned long>(thread->start_pc));
  AddLine(line, static_cast<size_t>(n));
  FlushText();
}

void WriteNameText(uint32_t thread, const char* name) {
  if (g_sink == nullptr) return;
  SpinHolder hold(g_text_lock);
  char line[64];
  int n = snprintf(line, sizeof line, "name %u %.15s", thread, name);
  AddLine(line, static_cast<size_t>(n));
  FlushText();
}

void WriteStringText(uint64_t id, const char* text) {
  SpinHolder hold(g_text_lock);
  char line[1024];
  int n = snprintf(line, sizeof line, "string %lu %.990s", static_cast<unsigned long>(id), text);
  AddLine(line, static_cast<size_t>(n));
  FlushText();
}

void StackRange(void** low, size_t* bytes) {
  *low = nullptr;
  *bytes = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, low, bytes);
  pthread_attr_destroy(&attributes);
}

}  // namespace heddle::rt
