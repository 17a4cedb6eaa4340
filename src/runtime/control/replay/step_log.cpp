#include "runtime/control/replay/step_log.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"
#include "wire/step_format.h"

namespace heddle::rt::control {
namespace {

using wire::Step;

const char* g_path = nullptr;
int g_fd = -1;
wire::StepsHeader* g_header = nullptr;
Step* g_live = nullptr;
ZSTD_CCtx* g_context = nullptr;
char* g_packed = nullptr;  // one chunk with its header
constexpr size_t kPackedBytes = sizeof(wire::StepsChunk) + 2 * wire::kLiveBytes;
constexpr size_t kContextBytes = size_t{1} << 20U;

int Open(const char* path) {
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  // The program may close every descriptor it finds: a high number is out of the way of most.
  long high = Sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return static_cast<int>(fd);
  Sys(SYS_close, fd);
  return static_cast<int>(high);
}

bool Refuse(const char* why) {
  Message("cannot write the schedule: ", why, g_path);
  return false;
}

bool OpenFile() {
  char name[4096];
  snprintf(name, sizeof name, "%s", g_path);
  for (int attempt = 0; (g_fd = Open(name)) < 0 && errno == EEXIST && attempt < 1000; ++attempt) {
    snprintf(name, sizeof name, "%s.%d.%d", g_path, static_cast<int>(Sys(SYS_getpid)), attempt);
  }
  if (g_fd < 0) return Refuse("the file cannot be created: ");
  uint64_t bytes = wire::kStepsHeaderBytes + wire::kLiveBytes;
  // Space on the disk, so that a later store into the mapping cannot fail.
  if (Sys(SYS_fallocate, g_fd, 0, 0, bytes) != 0 && (errno != EOPNOTSUPP || Sys(SYS_ftruncate, g_fd, bytes) != 0)) {
    return Refuse("no space on the disk: ");
  }
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_SHARED, g_fd, 0L);
  if (at == -1) return Refuse("the file cannot be mapped: ");
  auto* memory = reinterpret_cast<char*>(at);  // NOLINT: the kernel gives the address as a number
  g_header = reinterpret_cast<wire::StepsHeader*>(memory);
  g_live = reinterpret_cast<Step*>(memory + wire::kStepsHeaderBytes);
  memcpy(g_header->magic, wire::kStepsMagic, sizeof g_header->magic);
  g_header->chunks_end = bytes;
  return true;
}

bool WriteAll(const char* data, size_t bytes, uint64_t offset) {
  while (bytes > 0) {
    long n = Sys(SYS_pwrite64, g_fd, data, bytes, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    bytes -= static_cast<size_t>(n);
    offset += static_cast<uint64_t>(n);
  }
  return true;
}

// The full buffer becomes a chunk. The order of the last stores is that a reader of a dead process needs.
void PackLive() {
  KeepErrno keep;
  wire::StepsChunk chunk{};
  char* data = g_packed + sizeof chunk;
  size_t packed = ZSTD_compressCCtx(g_context, data, kPackedBytes - sizeof chunk, g_live, wire::kLiveBytes, 1);
  bool good = ZSTD_isError(packed) == 0;
  if (good) {
    chunk.steps = wire::kLiveSteps;
    chunk.packed_bytes = static_cast<uint32_t>(packed);
    chunk.check = XXH64(data, packed, 0);
    memcpy(g_packed, &chunk, sizeof chunk);
    good = WriteAll(g_packed, sizeof chunk + packed, g_header->chunks_end);
  }
  if (!good) {
    if (g_header->lost == 0) Message("cannot write the schedule: the disk is full?");
    ++g_header->lost;
    return;
  }
  __atomic_store_n(&g_header->live_steps, 0, __ATOMIC_RELEASE);
  g_header->chunks_end += sizeof chunk + packed;
  g_header->packed_steps += wire::kLiveSteps;
}

}  // namespace

bool StartStepLog(const char* path) {
  g_path = path;
  if (path == nullptr) return true;
  void* workspace = MapPages(kContextBytes);
  g_packed = static_cast<char*>(MapPages(kPackedBytes));
  if (workspace == nullptr || g_packed == nullptr) return Refuse("no memory: ");
  g_context = ZSTD_initStaticCCtx(workspace, kContextBytes);
  if (g_context == nullptr) return Refuse("no memory: ");
  return OpenFile();
}

void AppendStep(uint32_t thread, uint8_t operation, uint8_t result, uint64_t pc) {
  if (g_header == nullptr || g_header->lost != 0) return;
  uint64_t at = g_header->live_steps;
  g_live[at] = {thread, operation, result, static_cast<uint16_t>(pc >> 32U), static_cast<uint32_t>(pc)};
  __atomic_store_n(&g_header->live_steps, at + 1, __ATOMIC_RELEASE);
  if (at + 1 == wire::kLiveSteps) PackLive();
}

void RestartStepLog() {
  if (g_header == nullptr) return;
  Sys(SYS_munmap, g_header, wire::kStepsHeaderBytes + wire::kLiveBytes);
  Sys(SYS_close, g_fd);
  g_header = nullptr;
  OpenFile();
}

bool MoveStepLog(const char* path) {
  static char kept[4096];
  snprintf(kept, sizeof kept, "%s", path);
  g_path = kept;
  RestartStepLog();
  return g_header != nullptr;
}

int StepLogDescriptor() { return g_fd; }

}  // namespace heddle::rt::control
