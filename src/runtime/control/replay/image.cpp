// Writing an image. The process is a copy that nobody else knows, with one OS thread: what it reads of itself does not
// change but for its own stack.
#include "runtime/control/replay/image.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstring>

#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

using wire::ImageMapping;
using wire::ImagePiece;
using wire::MappingKind;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kWorkBytes = (sizeof(ImageWork) + kPage - 1) & ~(kPage - 1);
// Bits of an entry of /proc/self/pagemap.
constexpr uint64_t kPresent = uint64_t{1} << 63U;
constexpr uint64_t kSwapped = uint64_t{1} << 62U;
constexpr uint64_t kOfFile = uint64_t{1} << 61U;

// The same by ranges (Linux 6.7, which older headers do not have): struct pm_scan_arg, struct page_region.
struct PageScan {
  uint64_t size;
  uint64_t flags;
  uint64_t start;
  uint64_t end;
  uint64_t walked;  // up to here
  uint64_t ranges;
  uint64_t range_count;
  uint64_t most_pages;
  uint64_t inverted;
  uint64_t all_of;
  uint64_t any_of;
  uint64_t told;
};
struct PageRange {
  uint64_t start;
  uint64_t end;
  uint64_t categories;
};
constexpr unsigned long kPageScan = _IOWR('f', 16, PageScan);
constexpr uint64_t kScanFile = 4;
constexpr uint64_t kScanPresent = 8;
constexpr uint64_t kScanSwapped = 16;

uint64_t Hex(const char*& at) {
  uint64_t value = 0;
  for (;; ++at) {
    bool digit = *at >= '0' && *at <= '9';
    if (!digit && !(*at >= 'a' && *at <= 'f')) return value;
    value = value * 16 + static_cast<uint64_t>(digit ? *at - '0' : *at - 'a' + 10);
  }
}

void Skip(const char*& at) {
  while (*at != ' ' && *at != '\0') ++at;
  while (*at == ' ') ++at;
}

// begin-end rwxp offset device inode path
MapsLine ParseLine(char* text) {
  MapsLine line{};
  const char* at = text;
  line.begin = Hex(at);
  ++at;
  line.end = Hex(at);
  ++at;
  line.protection = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
  line.shared = at[3] == 's';
  Skip(at);
  line.offset = Hex(at);
  Skip(at);
  Skip(at);
  line.is_file = *at != '0';
  Skip(at);
  line.name = at;
  return line;
}

bool StartsWith(const char* text, const char* begin) { return strncmp(text, begin, strlen(begin)) == 0; }
bool EndsWith(const char* text, const char* end) {
  size_t length = strlen(text);
  size_t part = strlen(end);
  return length >= part && strcmp(text + length - part, end) == 0;
}

bool IsKernels(const MapsLine& line) { return StartsWith(line.name, "[v"); }

MappingKind KindOf(const MapsLine& line) {
  if (StartsWith(line.name, "[stack")) return MappingKind::kStack;
  if (StartsWith(line.name, "[heap")) return MappingKind::kHeap;
  bool writable = (line.protection & PROT_WRITE) != 0;
  if (line.shared && (writable || !line.is_file)) return MappingKind::kShared;
  if (line.is_file && line.name[0] == '/' && !EndsWith(line.name, " (deleted)")) return MappingKind::kFile;
  return line.shared ? MappingKind::kShared : MappingKind::kAnonymous;
}

bool WriteAll(int fd, const void* from, uint64_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    long n = RawSyscall(SYS_write, fd, reinterpret_cast<long>(at), static_cast<long>(bytes), 0, 0, 0);
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<uint64_t>(n);
  }
  return true;
}

bool IsZero(uint64_t page) {
  const auto* words = reinterpret_cast<const uint64_t*>(page);  // NOLINT: memory of this process
  for (uint64_t i = 0; i < kPage / sizeof *words; ++i) {
    if (words[i] != 0) return false;
  }
  return true;
}

class Writer {
 public:
  Writer(ImageWork* work, int fd, int pagemap) : work_(work), fd_(fd), pagemap_(pagemap) {}

  bool Write(const MapsLine& line, MappingKind kind) {
    mapping_ = Describe(line, kind);
    if (mapping_ == nullptr) return false;
    // Code of a file is what the file has.
    if (kind == MappingKind::kFile && (line.protection & PROT_EXEC) != 0) return true;
    if (kind != MappingKind::kShared && (line.protection & PROT_READ) == 0 && !MakeReadable(line)) return false;
    return kind == MappingKind::kShared ? WriteShared(line) : WritePrivate(line, kind);
  }
  bool End() {
    ImagePiece last{};
    return Flush() && WriteAll(fd_, &last, sizeof last);
  }
  const char* why() const { return why_; }

 private:
  ImageMapping* Describe(const MapsLine& line, MappingKind kind) {
    if (work_->count == kMaxMappings) return Fail("too many mappings");
    ImageMapping& made = work_->mappings[work_->count++];
    made = {};
    made.begin = line.begin;
    made.end = line.end;
    made.protection = static_cast<uint32_t>(line.protection);
    made.kind = kind;
    made.offset = line.offset;
    made.name = work_->name_bytes;
    size_t bytes = strlen(line.name) + 1;
    if (work_->name_bytes + bytes > sizeof work_->names) return Fail("too many mapped files");
    memcpy(work_->names + work_->name_bytes, line.name, bytes);
    work_->name_bytes += bytes;
    if (kind != MappingKind::kFile) return &made;
    struct stat about{};
    if (Sys(SYS_newfstatat, AT_FDCWD, line.name, &about, 0) != 0) return Fail("a mapped file is not at its path");
    made.bytes = about.st_size;
    made.seconds = about.st_mtim.tv_sec;
    made.nanoseconds = about.st_mtim.tv_nsec;
    return &made;
  }

  ImageMapping* Fail(const char* why) {
    why_ = why;
    return nullptr;
  }

  static bool MakeReadable(const MapsLine& line) {
    return Sys(SYS_mprotect, line.begin, line.end - line.begin, PROT_READ) == 0;
  }

  // The pages that this process has of its own.
  bool WritePrivate(const MapsLine& line, MappingKind kind) {
    uint64_t at = line.begin;
    while (scans_ && at < line.end) {
      PageScan scan{};
      scan.size = sizeof scan;
      scan.start = at;
      scan.end = line.end;
      scan.ranges = reinterpret_cast<uint64_t>(ranges_);
      scan.range_count = kRanges;
      scan.inverted = scan.all_of = kScanFile;
      scan.any_of = scan.told = kScanPresent | kScanSwapped;
      long found = Sys(SYS_ioctl, pagemap_, kPageScan, &scan);
      if (found < 0) {
        scans_ = false;  // an older kernel
        break;
      }
      for (long i = 0; i < found; ++i) {
        if (!AddPages(ranges_[i].start, ranges_[i].end, kind)) return false;
      }
      at = scan.walked;
    }
    return at >= line.end || WriteListed(at, line.end, kind);
  }

  // Entry by entry, which takes long for large mappings of which little is used.
  bool WriteListed(uint64_t page, uint64_t end, MappingKind kind) {
    constexpr uint64_t kMost = sizeof(ImageWork::pages) / sizeof(uint64_t);
    while (page < end) {
      uint64_t count = (end - page) / kPage;
      if (count > kMost) count = kMost;
      long got = Sys(SYS_pread64, pagemap_, work_->pages, count * sizeof(uint64_t), page / kPage * sizeof(uint64_t));
      if (got != static_cast<long>(count * sizeof(uint64_t))) {
        why_ = "/proc/self/pagemap cannot be read";
        return false;
      }
      for (uint64_t i = 0; i < count; ++i, page += kPage) {
        uint64_t entry = work_->pages[i];
        bool own = (entry & (kPresent | kSwapped)) != 0 && (entry & kOfFile) == 0;
        if (own && !AddPages(page, page + kPage, kind)) return false;
      }
    }
    return true;
  }

  // A page of zeros in a file's mapping is not what the file has; elsewhere it is what a new page is.
  bool AddPages(uint64_t page, uint64_t end, MappingKind kind) {
    for (; page < end; page += kPage) {
      if ((kind == MappingKind::kFile || !IsZero(page)) && !Add(page, page)) return false;
    }
    return true;
  }

  // From what KeepShared kept, in the same order.
  bool WriteShared(const MapsLine& line) {
    for (uint64_t page = line.begin; page < line.end; page += kPage, shared_ += kPage) {
      if (!IsZero(shared_) && !Add(page, shared_)) return false;
    }
    return true;
  }

  // Neighbours become one piece.
  bool Add(uint64_t page, uint64_t from) {
    constexpr uint64_t kMostBytes = uint64_t{1} << 22U;
    mapping_->pieces += kPage;
    bool next = piece_.address + piece_.bytes == page && from_ + piece_.bytes == from;
    if (next && piece_.bytes < kMostBytes) {
      piece_.bytes += kPage;
      return true;
    }
    if (!Flush()) return false;
    piece_ = {page, kPage};
    from_ = from;
    return true;
  }

  bool Flush() {
    if (piece_.bytes == 0) return true;
    const auto* from = reinterpret_cast<const void*>(from_);  // NOLINT: memory of this process
    bool written = WriteAll(fd_, &piece_, sizeof piece_) && WriteAll(fd_, from, piece_.bytes);
    piece_ = {};
    if (!written) why_ = "it cannot be written: the disk is full?";
    return written;
  }

  ImageWork* work_;
  int fd_;
  int pagemap_;
  ImageMapping* mapping_ = nullptr;
  ImagePiece piece_{};
  uint64_t from_ = 0;
  static constexpr uint64_t kRanges = 256;
  PageRange ranges_[kRanges];
  bool scans_ = true;
  uint64_t shared_ = kSharedPlace;
  const char* why_ = nullptr;
};

bool WriteTables(ImageWork* work, int fd) {
  wire::ImageHeader& header = work->header;
  header.tables = static_cast<uint64_t>(Sys(SYS_lseek, fd, 0, SEEK_CUR));
  header.mappings = work->count;
  header.name_bytes = work->name_bytes;
  memcpy(header.magic, wire::kImageMagic, sizeof header.magic);
  return WriteAll(fd, work->mappings, work->count * sizeof(ImageMapping)) &&
         WriteAll(fd, work->descriptors, header.descriptor_bytes) && WriteAll(fd, work->names, work->name_bytes) &&
         Sys(SYS_pwrite64, fd, &header, sizeof header, 0) == static_cast<long>(sizeof header);
}

void KeepKernelsPart(wire::ImageHeader& header) {
  header.heap_end = static_cast<uint64_t>(Sys(SYS_brk, 0));
  for (int number = 1; number <= wire::kImageSignals; ++number) {
    Sys(SYS_rt_sigaction, number, nullptr, header.actions[number - 1], sizeof(uint64_t));
  }
  Sys(SYS_getcwd, header.folder, sizeof header.folder);
}

}  // namespace

void EndWork() {
  if (Work()->shared_bytes != 0) Sys(SYS_munmap, kSharedPlace, Work()->shared_bytes);
  Sys(SYS_munmap, kImagePlace, kWorkBytes);
}

bool MakeWork() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  long at = Sys(SYS_mmap, kImagePlace, kWorkBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0L);
  return at == static_cast<long>(kImagePlace);
}

long ReadMaps(ImageWork* work, MapsLine* lines, uint32_t most) {
  auto fd = static_cast<int>(Sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC));
  if (fd < 0) return -1;
  uint64_t used = 0;
  long got = 1;
  while (got > 0 && used < sizeof work->maps - 1) {
    got = Sys(SYS_read, fd, work->maps + used, sizeof work->maps - 1 - used);
    if (got > 0) used += static_cast<uint64_t>(got);
  }
  Sys(SYS_close, fd);
  if (got != 0) return -1;
  work->maps[used] = '\0';
  uint32_t count = 0;
  for (char* at = work->maps; *at != '\0';) {
    char* end = strchrnul(at, '\n');
    char* next = *end == '\0' ? end : end + 1;
    *end = '\0';
    MapsLine line = ParseLine(at);
    at = next;
    if (line.begin >= kImagePlace && line.begin < kImageEnd) continue;
    if (count == most) return -1;
    lines[count++] = line;
  }
  return count;
}

const char* KeepShared(ImageWork* work, const char* own) {
  work->shared_bytes = 0;
  long lines = ReadMaps(work, work->now, kMaxMappings);
  if (lines < 0) return "/proc/self/maps cannot be read";
  work->now_count = 0;
  uint64_t bytes = 0;
  for (long i = 0; i < lines; ++i) {
    const MapsLine& line = work->now[i];
    if (StartsWith(line.name, "[vdso")) work->header.kernel_code = line.begin;
    if (IsKernels(line) || (line.shared && StartsWith(line.name, own))) continue;
    if (KindOf(line) == MappingKind::kShared) bytes += line.end - line.begin;
    work->now[work->now_count++] = line;
  }
  if (bytes > kMostShared) return "there is more than 256 MB of shared memory";
  if (bytes == 0) return nullptr;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  long at = Sys(SYS_mmap, kSharedPlace, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0L);
  if (at != static_cast<long>(kSharedPlace)) return "no memory";
  work->shared_bytes = bytes;
  uint64_t to = kSharedPlace;
  for (uint32_t i = 0; i < work->now_count; ++i) {
    const MapsLine& line = work->now[i];
    if (KindOf(line) != MappingKind::kShared) continue;
    // By the kernel: behind the end of a file a load would be a fault.
    iovec into{reinterpret_cast<void*>(to), line.end - line.begin};          // NOLINT: a chosen address
    iovec from{reinterpret_cast<void*>(line.begin), line.end - line.begin};  // NOLINT: memory of this process
    if (Sys(SYS_process_vm_readv, Sys(SYS_getpid), &into, 1, &from, 1, 0) != static_cast<long>(from.iov_len)) {
      return "shared memory cannot be read";
    }
    to += from.iov_len;
  }
  return nullptr;
}

const char* WriteImage(ImageWork* work, int fd) {
  auto pagemap = static_cast<int>(Sys(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (pagemap < 0) return "/proc/self/pagemap cannot be read";
  KeepKernelsPart(work->header);
  if (!WriteAll(fd, &work->header, sizeof work->header)) return "it cannot be written: the disk is full?";
  work->count = 0;
  work->name_bytes = 0;
  Writer writer(work, fd, pagemap);
  for (uint32_t i = 0; i < work->now_count; ++i) {
    const MapsLine& line = work->now[i];
    MappingKind kind = KindOf(line);
    if (kind == MappingKind::kStack) work->header.stack_end = line.end;
    if (!writer.Write(line, kind)) return writer.why() == nullptr ? "memory cannot be read" : writer.why();
  }
  if (!writer.End() || !WriteTables(work, fd)) return "it cannot be written: the disk is full?";
  return nullptr;
}

}  // namespace heddle::rt::control
