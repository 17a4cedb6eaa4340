#include "runtime/control/search/outside_state.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <cstring>

#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/others.h"
#include "runtime/memory/pages.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

constexpr int kDescriptors = 256;
constexpr uint64_t kMostBytes = uint64_t{1} << 16U;    // of a pipe
constexpr uint64_t kMostShared = uint64_t{64} << 20U;  // of all shared memory
constexpr uint32_t kMostMappings = 32;

// kNone: not there before the first execution, so one that made it takes it away.
enum class What : uint8_t { kNone, kPosition, kNull, kPipe, kEvent, kSocket, kOther };

struct Descriptor {
  What what = What::kNone;
  int64_t position = 0;     // kPosition
  uint64_t count = 0;       // kEvent: its value; kPipe: bytes in it
  char* content = nullptr;  // kPipe
  int writer = -1;          // kPipe: a descriptor to put it back through
};
Descriptor g_descriptors[kDescriptors];

struct Mapping {
  uint64_t begin;
  uint64_t bytes;
  char* content;
};
Mapping g_mappings[kMostMappings];
uint32_t g_mapping_count = 0;

bool StatOf(int fd, struct stat* out) { return Sys(SYS_fstat, fd, out) == 0; }

// One line of a file after the other, without libc.
template <typename Visit>
void ForEachLine(const char* path, Visit visit) {
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char line[512];
  uint32_t length = 0;
  char block[1024];
  for (long n = 0; (n = Sys(SYS_read, fd, block, sizeof block)) > 0;) {
    for (long i = 0; i < n; ++i) {
      if (block[i] != '\n') {
        if (length + 1 < sizeof line) line[length++] = block[i];
        continue;
      }
      line[length] = '\0';
      visit(static_cast<const char*>(line));
      length = 0;
    }
  }
  Sys(SYS_close, fd);
}

void PutNumber(char* to, int number) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *to++ = digits[--count];
  *to = '\0';
}

uint64_t Number(const char* text, int base) {
  uint64_t value = 0;
  for (; *text != '\0'; ++text) {
    int digit = *text >= '0' && *text <= '9' ? *text - '0' : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10 : 99;
    if (digit >= base) break;
    value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
  }
  return value;
}

// Whether the descriptor is an eventfd; its value.
bool EventCount(int fd, uint64_t* count) {
  char path[48] = "/proc/self/fdinfo/";
  PutNumber(path + strlen(path), fd);
  bool found = false;
  ForEachLine(path, [&](const char* line) {
    constexpr const char* kName = "eventfd-count:";
    if (strncmp(line, kName, strlen(kName)) != 0) return;
    const char* at = line + strlen(kName);
    while (*at == ' ' || *at == '\t') ++at;
    *count = Number(at, 16);
    found = true;
  });
  return found;
}

int Access(int fd) { return static_cast<int>(Sys(SYS_fcntl, fd, F_GETFL)) & O_ACCMODE; }

// The other end of the pipe, for writing.
int WriterOf(const struct stat& pipe) {
  for (int fd = 0; fd < kDescriptors; ++fd) {
    struct stat other{};
    bool same =
        StatOf(fd, &other) && S_ISFIFO(other.st_mode) && other.st_ino == pipe.st_ino && other.st_dev == pipe.st_dev;
    if (same && Access(fd) != O_RDONLY) return fd;
  }
  return -1;
}

// The pipe's content, which stays in it.
bool PeekPipe(int fd, Descriptor* kept) {
  int scratch[2];
  if (Sys(SYS_pipe2, scratch, O_NONBLOCK | O_CLOEXEC) != 0) return false;
  kept->content = static_cast<char*>(MapPages(kMostBytes));
  long n = Sys(SYS_tee, fd, scratch[1], kMostBytes, 2 /* SPLICE_F_NONBLOCK */);
  long got = n > 0 && kept->content != nullptr ? Sys(SYS_read, scratch[0], kept->content, kMostBytes) : 0;
  kept->count = got > 0 ? static_cast<uint64_t>(got) : 0;
  Sys(SYS_close, scratch[0]);
  Sys(SYS_close, scratch[1]);
  return kept->content != nullptr;
}

// One end of a socket pair that this process made, with nothing in it.
bool IsEmptyPair(int fd) {
  int domain = 0;
  ucred peer{};
  socklen_t length = sizeof domain;
  if (Sys(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_UNIX) return false;
  length = sizeof peer;
  if (Sys(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  char byte = 0;
  bool empty = Sys(SYS_recvfrom, fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT, nullptr, nullptr) < 0 && errno == EAGAIN;
  return empty && peer.pid == static_cast<pid_t>(Sys(SYS_getpid));
}

Descriptor Keep(int fd) {
  struct stat about{};
  Descriptor kept;
  if (!StatOf(fd, &about)) return kept;
  kept.what = What::kOther;
  if (S_ISREG(about.st_mode)) {
    kept.what = What::kPosition;
    kept.position = Sys(SYS_lseek, fd, 0L, SEEK_CUR);
  } else if (S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3)) {
    kept.what = What::kNull;
  } else if (S_ISFIFO(about.st_mode)) {
    kept.writer = WriterOf(about);
    if (Access(fd) != O_RDONLY) {
      kept.what = What::kNull;  // with the end that is read
    } else if (kept.writer >= 0 && PeekPipe(fd, &kept)) {
      kept.what = What::kPipe;
    }
  } else if (S_ISSOCK(about.st_mode)) {
    if (IsEmptyPair(fd)) kept.what = What::kSocket;
  } else if (EventCount(fd, &kept.count)) {
    kept.what = What::kEvent;
  }
  return kept;
}

void Drain(int fd) {
  char block[4096];
  long flags = Sys(SYS_fcntl, fd, F_GETFL);
  Sys(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK);
  while (Sys(SYS_read, fd, block, sizeof block) > 0) {
  }
  Sys(SYS_fcntl, fd, F_SETFL, flags);
}

void Restore(int fd, const Descriptor& kept) {
  if (kept.what == What::kPosition) Sys(SYS_lseek, fd, kept.position, SEEK_SET);
  if (kept.what == What::kPipe) {
    Drain(fd);
    if (kept.count > 0) Sys(SYS_write, kept.writer, kept.content, kept.count);
  }
  if (kept.what == What::kSocket) Drain(fd);
  if (kept.what == What::kEvent) {
    Drain(fd);
    if (kept.count > 0) Sys(SYS_write, fd, &kept.count, sizeof kept.count);
  }
}

// "begin-end rw-s ... name"
void KeepMapping(const char* line) {
  const char* dash = strchr(line, '-');
  const char* space = dash == nullptr ? nullptr : strchr(dash, ' ');
  if (space == nullptr || space[2] != 'w' || space[4] != 's' || strstr(line, "heddle") != nullptr) return;
  uint64_t begin = Number(line, 16);
  uint64_t bytes = Number(dash + 1, 16) - begin;
  static uint64_t sum = 0;
  sum += bytes;
  char* content = sum > kMostShared || g_mapping_count == kMostMappings ? nullptr : static_cast<char*>(MapPages(bytes));
  if (content == nullptr) return NoteGap("memory is shared with others (mmap)");
  memcpy(content, reinterpret_cast<const void*>(begin), bytes);  // NOLINT: an address in text
  g_mappings[g_mapping_count++] = {begin, bytes, content};
}

}  // namespace

void KeepOutsideState() {
  for (int fd = 0; fd < kDescriptors; ++fd) g_descriptors[fd] = Keep(fd);
  ForEachLine("/proc/self/maps", KeepMapping);
}

void RestoreSharedMemory() {
  for (uint32_t i = 0; i < g_mapping_count; ++i) {
    memcpy(reinterpret_cast<void*>(g_mappings[i].begin), g_mappings[i].content, g_mappings[i].bytes);  // NOLINT
  }
}

void RestoreOutsideState() {
  for (int fd = 0; fd < kDescriptors; ++fd) Restore(fd, g_descriptors[fd]);
  RestoreSharedMemory();
}

bool IsInternal(int fd) {
  if (fd < 0 || fd >= kDescriptors) return false;
  struct stat about{};
  What what = g_descriptors[fd].what;
  if (what == What::kPipe || what == What::kEvent || what == What::kSocket) return true;
  if (!StatOf(fd, &about)) return false;
  if (what == What::kNull) return S_ISFIFO(about.st_mode) && g_descriptors[fd].writer >= 0;
  // Made by the execution: a pipe, a pair, an eventfd; files are always ready.
  return what == What::kNone && !S_ISCHR(about.st_mode) && !(S_ISSOCK(about.st_mode) && TalksOutside());
}

bool IsShared(int fd) { return fd < 0 || fd >= kDescriptors || g_descriptors[fd].what != What::kNone; }

bool IsPutBack(int fd, bool writes) {
  if (fd < 0 || fd >= kDescriptors) return false;
  What what = g_descriptors[fd].what;
  if (what == What::kPosition) return !writes;
  return what != What::kOther;
}

}  // namespace heddle::rt::control
