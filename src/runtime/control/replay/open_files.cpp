#include "runtime/control/replay/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "runtime/control/replay/written_files.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

using wire::ImageDescriptor;

constexpr int kFileOfProcess = 0;  // KCMP_FILE

uint64_t BytesOf(const ImageDescriptor& described) {
  return sizeof described + ((uint64_t{described.path_bytes} + 7) & ~uint64_t{7});
}

template <typename Visit>
void ForEach(const ImageWork* work, Visit visit) {
  for (uint64_t at = 0; at + sizeof(ImageDescriptor) <= work->header.descriptor_bytes;) {
    const auto* described = reinterpret_cast<const ImageDescriptor*>(work->descriptors + at);
    at += BytesOf(*described);
    if (at > work->header.descriptor_bytes) return;
    visit(*described, reinterpret_cast<const char*>(described + 1));
  }
}

// Two descriptors of one open file move together when one reads.
int SharedWith(const ImageWork* work, int fd) {
  int found = -1;
  long process = Sys(SYS_getpid);
  ForEach(work, [&](const ImageDescriptor& before, const char* path) {
    if (found < 0 && *path != '\0' && Sys(SYS_kcmp, process, process, kFileOfProcess, before.number, fd) == 0)
      found = before.number;
  });
  return found;
}

void Describe(ImageWork* work, int fd) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  char path[PATH_MAX];
  long bytes = Sys(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  long flags = Sys(SYS_fcntl, fd, F_GETFL);
  struct stat about{};
  if (bytes < 0 || flags < 0 || Sys(SYS_fstat, fd, &about) != 0) return;
  path[bytes] = '\0';
  ImageDescriptor made{};
  made.number = fd;
  made.flags = static_cast<int>(flags) & ~(O_CREAT | O_EXCL | O_TRUNC);
  if ((Sys(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC) != 0) made.flags |= O_CLOEXEC;
  OpenedFile opened = DescribeOpened(fd);
  bool by_path = path[0] == '/';
  made.how = static_cast<uint8_t>(opened.how);
  made.again = by_path && opened.how == OpenHow::Again && !S_ISSOCK(about.st_mode) && !S_ISFIFO(about.st_mode) ? 1 : 0;
  made.same_as = by_path ? SharedWith(work, fd) : -1;
  made.place = S_ISREG(about.st_mode) ? Sys(SYS_lseek, fd, 0, SEEK_CUR) : 0;
  if (!by_path) bytes = 0;
  path[bytes] = '\0';
  made.path_bytes = static_cast<uint16_t>(bytes + 1);
  uint64_t at = work->header.descriptor_bytes;
  if (at + BytesOf(made) > kDescriptorBytes) return;
  memcpy(work->descriptors + at, &made, sizeof made);
  memcpy(work->descriptors + at + sizeof made, path, made.path_bytes);
  work->header.descriptor_bytes += BytesOf(made);
  ++work->header.descriptors;
}

struct Entry {
  uint64_t inode;
  int64_t next;
  uint16_t bytes;
  uint8_t type;
  char name[1];
};

int Number(const char* text) {
  int value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return *text == '\0' ? value : -1;
}

// The file at its path, or as it was when the program changed it later.
int OpenAgain(const ImageDescriptor& described, const char* path) {
  auto fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, path, described.flags));
  if (fd < 0) fd = OpenOriginal(path, described.flags);
  if (fd < 0) Message("replay: a file that was open at the checkpoint cannot be opened: ", path);
  return MoveTo(fd, described.number);
}

void Make(const ImageDescriptor& described, const char* path) {
  if (described.same_as >= 0) {
    Sys(SYS_dup3, described.same_as, described.number, described.flags & O_CLOEXEC);
    return;
  }
  auto how = static_cast<OpenHow>(described.how);
  int fd = -1;
  if (described.again != 0) {
    fd = OpenAgain(described, path);
  } else if (how == OpenHow::Own || how == OpenHow::Folder) {
    OpenedFile opened{};
    opened.how = how;
    fd = OpenInReplay(opened, path, described.flags, described.number);
  } else {
    MakePlaceholder(described.number);
    return;
  }
  if (fd >= 0 && described.place > 0) Sys(SYS_lseek, fd, described.place, SEEK_SET);
}

}  // namespace

void DescribeDescriptors(ImageWork* work, const int* own, int count) {
  work->header.descriptors = work->header.descriptor_bytes = 0;
  auto folder = static_cast<int>(Sys(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  alignas(8) char buffer[4096];
  for (long got = 1; folder >= 0 && got > 0;) {
    got = Sys(SYS_getdents64, folder, buffer, sizeof buffer);
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->bytes;
      int fd = Number(entry->name);
      bool skip = fd <= STDERR_FILENO || fd == folder;
      for (int i = 0; i < count; ++i) skip = skip || own[i] == fd;
      if (!skip) Describe(work, fd);
    }
  }
  if (folder >= 0) Sys(SYS_close, folder);
}

void MakeDescriptors(const ImageWork* work) { ForEach(work, Make); }

}  // namespace heddle::rt::control
