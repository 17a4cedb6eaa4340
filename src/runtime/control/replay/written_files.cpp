#include "runtime/control/replay/written_files.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "runtime/control/replay/demo.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt::control {
namespace {

timespec g_began{};
char g_place[PATH_MAX] = "";
char g_originals[PATH_MAX] = "";
bool g_guards = false;
bool g_kernel_guards = false;
// The number of a signal that a regular file never sends (F_SETSIG): the mark of the own place.
constexpr long kMark = 63;
constexpr int kMaxTold = 10;
int g_told = 0;

bool IsLater(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

// FOLDER/NAME, where a path's strokes are percent signs. A name that is too long keeps its end.
bool PathBelow(const char* folder, const char* path, char* to) {
  size_t length = strlen(path);
  if (length > NAME_MAX) path += length - NAME_MAX;
  size_t at = strlen(folder);
  if (at == 0 || at + NAME_MAX + 2 > PATH_MAX) return false;
  memcpy(to, folder, at);
  to[at++] = '/';
  for (; *path != '\0'; ++path) to[at++] = *path == '/' ? '%' : *path;
  to[at] = '\0';
  return true;
}

int OpenOwn(const char* path, int flags) {
  char own[PATH_MAX];
  if (!PathBelow(g_place, path, own)) return -1;
  Sys(SYS_mkdir, g_place, 0700);
  int kept = flags & (O_APPEND | O_NONBLOCK | O_CLOEXEC | O_TRUNC);
  auto fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, own, O_RDWR | O_CREAT | kept, 0600));
  if (fd >= 0) Sys(SYS_fcntl, fd, F_SETSIG, kMark);
  return fd;
}

int OpenStandIn(int flags) {
  return static_cast<int>(
      Sys(SYS_openat, AT_FDCWD, "/dev/null", (flags & O_ACCMODE) | (flags & (O_NONBLOCK | O_CLOEXEC))));
}

void Tell(const char* what, const char* path) {
  if (__atomic_fetch_add(&g_told, 1, __ATOMIC_RELAXED) < kMaxTold) Message("replay: ", what, path);
}

}  // namespace

void StartWrittenFiles(const char* calls) {
  Sys(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &g_began);
  const char* end = strrchr(calls, '/');
  size_t folder = end == nullptr ? 0 : static_cast<size_t>(end - calls);
  if (folder + sizeof wire::kOriginalsName > sizeof g_place) return;
  for (char* place : {g_place, g_originals}) memcpy(place, calls, folder);
  memcpy(g_place + folder, wire::kWrittenName, sizeof wire::kWrittenName);
  memcpy(g_originals + folder, wire::kOriginalsName, sizeof wire::kOriginalsName);
}

void BeganAt(const timespec& when) { g_began = when; }

namespace {

// Files below the folder may be written.
void AllowBelow(int rules, const char* folder, uint64_t what) {
  landlock_path_beneath_attr below{};
  below.allowed_access = what;
  below.parent_fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, folder, O_PATH | O_CLOEXEC));
  if (below.parent_fd < 0) return;
  Sys(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  Sys(SYS_close, below.parent_fd);
}

// Nothing is written but below the replay's results and on devices, by this process and all that it starts. What is
// open already stays open. False: the kernel has no such thing.
bool GuardByKernel(const char* results) {
  constexpr uint64_t kChange = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                               LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                               LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                               LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                               LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  constexpr uint64_t kTruncate = uint64_t{1} << 14U;  // from version 3 on, which older headers do not have
  constexpr long kVersion = 1;                        // LANDLOCK_CREATE_RULESET_VERSION
  long version = Sys(SYS_landlock_create_ruleset, nullptr, 0, kVersion);
  if (version < 3) return false;  // truncating would not be refused
  landlock_ruleset_attr all{};
  all.handled_access_fs = kChange | kTruncate;
  auto rules = static_cast<int>(Sys(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0));
  if (rules < 0) return false;
  for (const char* folder : {results, "/dev", "/proc"}) AllowBelow(rules, folder, all.handled_access_fs);
  bool done = Sys(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && Sys(SYS_landlock_restrict_self, rules, 0) == 0;
  Sys(SYS_close, rules);
  return done;
}

}  // namespace

void GuardFiles() {
  g_guards = true;
  char results[PATH_MAX];
  memcpy(results, g_place, sizeof results);
  if (char* end = strrchr(results, '/'); end != nullptr) *end = '\0';
  g_kernel_guards = GuardByKernel(results);
}
bool KernelGuardsFiles() { return g_kernel_guards; }
bool GuardsFiles() { return g_guards; }

bool WouldWrite(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0; }
int OpenGuarded(const char* path, int flags) { return OpenOwn(path, flags); }

bool IsOwnPlace(int fd) {
  KeepErrno keep;
  return g_guards && Sys(SYS_fcntl, fd, F_GETSIG) == kMark;
}

bool IsWritten(int fd, const struct stat& about) {
  if (g_demo == Demo::Play) return IsOwnPlace(fd);
  if (IsLater(about.st_ctim, g_began) || Sys(SYS_fcntl, fd, F_GETSIG) == kMark) return true;
  return S_ISREG(about.st_mode) && (Sys(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

OpenedFile DescribeOpened(int fd) {
  OpenedFile opened{};
  struct stat about{};
  if (fd < 0 || Sys(SYS_fstat, fd, &about) != 0) return opened;
  opened.bytes = about.st_size;
  opened.seconds = about.st_mtim.tv_sec;
  opened.nanoseconds = about.st_mtim.tv_nsec;
  if (S_ISREG(about.st_mode)) {
    opened.how = !IsRecorded(fd) ? OpenHow::Again : IsOfKernel(fd) ? OpenHow::StandIn : OpenHow::Own;
  } else if (S_ISDIR(about.st_mode)) {
    opened.how = IsWritten(fd, about) ? OpenHow::Folder : OpenHow::Again;
  } else if (!S_ISBLK(about.st_mode) && IsRecorded(fd) && !IsPlainDevice(fd)) {
    opened.how = OpenHow::StandIn;
  }
  return opened;
}

bool IsSameFile(int fd, const OpenedFile& recorded) {
  struct stat about{};
  if (Sys(SYS_fstat, fd, &about) != 0 || !S_ISREG(about.st_mode)) return true;
  return about.st_size == recorded.bytes && about.st_mtim.tv_sec == recorded.seconds &&
         about.st_mtim.tv_nsec == recorded.nanoseconds;
}
void TellChanged(const char* path) { Tell("a file that the recording read was changed since: ", path); }

namespace {

struct Inode {
  dev_t device;
  ino_t number;
};
constexpr uint32_t kMaxRead = 4096;  // a power of two; of more files the first are known
Inode g_read[kMaxRead];
SpinLock g_read_lock;

// Its place, or a free one; null when there is neither.
Inode* PlaceOf(const struct stat& about) {
  for (uint32_t i = 0; i < kMaxRead; ++i) {
    Inode& at = g_read[(about.st_ino + i) % kMaxRead];
    if (at.number == 0 || (at.number == about.st_ino && at.device == about.st_dev)) return &at;
  }
  return nullptr;
}

void Copy(const char* from, const char* to) {
  auto in = static_cast<int>(Sys(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC));
  auto out = static_cast<int>(Sys(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  constexpr long kMost = 1L << 30U;
  while (in >= 0 && out >= 0 && Sys(SYS_sendfile, out, in, nullptr, kMost) > 0) {
  }
  if (in >= 0) Sys(SYS_close, in);
  if (out >= 0) Sys(SYS_close, out);
}

}  // namespace

void FileIsRead(int fd) {
  KeepErrno keep;
  struct stat about{};
  if (Sys(SYS_fstat, fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
  SpinHolder hold(g_read_lock);
  if (Inode* at = PlaceOf(about); at != nullptr) *at = {about.st_dev, about.st_ino};
}

void FileChanges(const char* path) {
  KeepErrno keep;
  struct stat about{};
  if (g_demo != Demo::Record || Sys(SYS_newfstatat, AT_FDCWD, path, &about, 0) != 0 || !S_ISREG(about.st_mode) ||
      IsLater(about.st_ctim, g_began)) {
    return;
  }
  {
    SpinHolder hold(g_read_lock);
    const Inode* at = PlaceOf(about);
    if (at == nullptr || at->number == 0) return;
  }
  char kept[PATH_MAX];
  if (!PathBelow(g_originals, path, kept)) return;
  Sys(SYS_mkdir, g_originals, 0700);
  Copy(path, kept);
}

int OpenOriginal(const char* path, int flags) {
  char kept[PATH_MAX];
  if (!PathBelow(g_originals, path, kept)) return -1;
  return static_cast<int>(Sys(SYS_openat, AT_FDCWD, kept, O_RDONLY | (flags & (O_CLOEXEC | O_NONBLOCK))));
}

namespace {

// How much of the file the mapping will show.
uint64_t MappedBytes(int fd, uint64_t bytes, int64_t offset) {
  struct stat about{};
  if (Sys(SYS_fstat, fd, &about) != 0 || about.st_size <= offset) return 0;
  auto left = static_cast<uint64_t>(about.st_size - offset);
  return left < bytes ? left : bytes;
}

void KeepMapping(int fd, uint64_t bytes, int64_t offset) {
  if (!IsRecorded(fd) || IsPlainDevice(fd)) return KeepReissued(DemoCall::kMap);
  uint64_t shown = MappedBytes(fd, bytes, offset);
  if (shown > UINT32_MAX) {
    Message("record: a mapping of more than 4 GB of a file that is written cannot be followed (mmap)");
    shown = 0;
  }
  long at = shown == 0 ? -1 : Sys(SYS_mmap, PageHint(shown), shown, PROT_READ, MAP_PRIVATE, fd, offset);
  if (at == -1) shown = 0;
  iovec piece{reinterpret_cast<void*>(at), shown};  // NOLINT: the kernel's number
  Keep(DemoCall::kMap, static_cast<int64_t>(shown), 0, &piece, 1, shown);
  if (shown != 0) Sys(SYS_munmap, at, shown);
}

void GiveMapping(int fd, uint64_t bytes, int64_t offset) {
  int64_t shown = 0;
  long room = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
  if (room == -1) return;
  iovec piece{reinterpret_cast<void*>(room), bytes};  // NOLINT: the kernel's number
  if (PlayBack(DemoCall::kMap, &shown, &piece, 1) && shown > 0 && IsOwnPlace(fd)) {
    Sys(SYS_pwrite64, fd, room, shown, offset);
  }
  Sys(SYS_munmap, room, bytes);
}

}  // namespace

void PrepareMapping(int fd, uint64_t bytes, int64_t offset) {
  KeepErrno keep;
  if (g_demo == Demo::Record) KeepMapping(fd, bytes, offset);
  if (g_demo == Demo::Play) GiveMapping(fd, bytes, offset);
}

void DescriptorReceived(int fd) {
  KeepErrno keep;
  if (g_demo == Demo::Record) Sys(SYS_fcntl, fd, F_SETSIG, kMark);
  if (g_demo == Demo::Play) MakePlaceholder(fd);
}

void MakePlaceholder(int fd) {
  int pair[2];
  if (fd < 0 || Sys(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair) != 0) return;
  Sys(SYS_close, pair[1]);
  MoveTo(pair[0], fd);
}

int MoveTo(int fd, int number) {
  if (fd < 0 || fd == number) return fd;
  long flags = Sys(SYS_fcntl, fd, F_GETFD);
  long moved = Sys(SYS_dup3, fd, number, (flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  if (moved < 0) return fd;
  Sys(SYS_close, fd);
  return number;
}

int OpenInReplay(const OpenedFile& recorded, const char* path, int flags, int number) {
  int fd = -1;
  switch (recorded.how) {
    case OpenHow::Own:
      fd = OpenOwn(path, flags);
      break;
    case OpenHow::Folder:
      fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | (flags & O_CLOEXEC)));
      break;
    default:
      fd = OpenStandIn(flags);
  }
  if (fd < 0) Tell("cannot make a file in the place of ", path);
  return MoveTo(fd, number);
}

}  // namespace heddle::rt::control
