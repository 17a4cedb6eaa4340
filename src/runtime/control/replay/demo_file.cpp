#include "runtime/control/replay/demo_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "runtime/control/turn/scheduler.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt::control {
namespace {

using wire::DemoEntry;
using wire::DemoEntryBytes;
using wire::DemoHeader;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kWindow = 64 * kPage;

int g_fd = -1;
SpinLock g_entry_lock;
DemoHeader* g_header = nullptr;  // the file's first page, mapped

// Bytes of the file from `begin` on; null: none is mapped.
struct Window {
  char* memory = nullptr;
  uint64_t begin = 0;
  bool refused = false;  // by the file system
};
Window g_window;

void* Map(uint64_t bytes, uint64_t at) {
  long memory = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_SHARED, g_fd, at);
  return memory == -1 ? nullptr : reinterpret_cast<void*>(memory);  // NOLINT: the kernel's number
}

void Unmap() {
  if (g_window.memory != nullptr) Sys(SYS_munmap, g_window.memory, kWindow);
  g_window = {};
}

// Whether a window holds `bytes` bytes from `at` on.
bool Reach(uint64_t at, uint64_t bytes) {
  if (g_window.memory != nullptr && at >= g_window.begin && at + bytes <= g_window.begin + kWindow) return true;
  uint64_t begin = at & ~(kPage - 1);
  if (g_window.refused || at + bytes > begin + kWindow) return false;
  Unmap();
  g_window.begin = begin;
  bool allocated = Sys(SYS_fallocate, g_fd, 0, begin, kWindow) == 0;
  g_window.memory = allocated ? static_cast<char*>(Map(kWindow, begin)) : nullptr;
  g_window.refused = g_window.memory == nullptr;
  return !g_window.refused;
}

// One after the other into memory, or into the file, as many at a time as the kernel takes.
class PieceWriter {
 public:
  PieceWriter(uint64_t at, uint64_t bytes)
      : at_(at), to_(Reach(at, bytes) ? g_window.memory + (at - g_window.begin) : nullptr) {}
  void Add(const void* data, uint64_t bytes) {
    if (to_ != nullptr) {
      memcpy(to_, data, bytes);
      to_ += bytes;
      return;
    }
    if (used_ == kMost) Flush();
    all_[used_++] = {const_cast<void*>(data), bytes};
    waiting_ += bytes;
  }
  // False when not all was written.
  bool Flush() {
    if (used_ > 0 && Sys(SYS_pwritev, g_fd, all_, used_, at_, 0L) != static_cast<long>(waiting_)) whole_ = false;
    at_ += waiting_;
    waiting_ = 0;
    used_ = 0;
    return whole_;
  }

 private:
  static constexpr int kMost = 1024;
  static iovec all_[kMost];  // under the lock
  int used_ = 0;
  uint64_t at_;
  char* to_;
  uint64_t waiting_ = 0;
  bool whole_ = true;
};
iovec PieceWriter::all_[kMost];

bool Refuse(const char* why, const char* path) {
  Message("demo: ", why, path);
  return false;
}

}  // namespace

bool OpenDemoFile(const char* path) {
  g_fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (g_fd < 0) return Refuse("cannot create ", path);
  long high = Sys(SYS_fcntl, g_fd, F_DUPFD_CLOEXEC, 900);
  if (high >= 0) {
    Sys(SYS_close, g_fd);
    g_fd = static_cast<int>(high);
  }
  if (Sys(SYS_ftruncate, g_fd, kPage) != 0) return Refuse("cannot write ", path);
  g_header = static_cast<DemoHeader*>(Map(kPage, 0));
  if (g_header == nullptr) return Refuse("cannot map ", path);
  memcpy(g_header->magic, wire::kDemoMagic, sizeof g_header->magic);
  g_header->used = sizeof(DemoHeader);
  return true;
}

void CloseDemoFile() {
  Unmap();
  if (g_header != nullptr) Sys(SYS_munmap, g_header, kPage);
  g_header = nullptr;
  if (g_fd >= 0) Sys(SYS_close, g_fd);
  g_fd = -1;
}

void ForgetDemoFile() {
  g_window = {};
  g_header = nullptr;
  g_fd = -1;
}

int DemoDescriptor() { return g_fd; }

DemoHeader* OpenDemoHeader() { return g_header; }

void AppendEntry(const DemoEntry& entry, const iovec* pieces, int count) {
  static const char padding[8] = {};
  SpinHolder hold(g_entry_lock);
  if (g_header == nullptr || g_header->lost != 0) return;
  uint64_t total = DemoEntryBytes(entry.bytes);
  PieceWriter writer(g_header->used, total);
  writer.Add(&entry, sizeof entry);
  uint64_t left = entry.bytes;
  for (int i = 0; i < count && left > 0; ++i) {
    uint64_t take = pieces[i].iov_len < left ? pieces[i].iov_len : left;
    if (take > 0) writer.Add(pieces[i].iov_base, take);
    left -= take;
  }
  writer.Add(padding, total - sizeof entry - entry.bytes);
  if (!writer.Flush() || left != 0) {
    Message("demo: cannot write: the disk is full?");
    g_header->lost = __atomic_load_n(&g_steps, __ATOMIC_RELAXED) + 1;
    return;
  }
  __atomic_store_n(&g_header->used, g_header->used + total, __ATOMIC_RELEASE);
}

void LockDemoFile() { g_entry_lock.Lock(); }
void UnlockDemoFile() { g_entry_lock.Unlock(); }

}  // namespace heddle::rt::control
