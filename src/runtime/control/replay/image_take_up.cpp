// Becoming the process of an image. From TakeUpImage on, the memory that this code would use as any other is being
// replaced: it runs on the work's stack, calls nothing outside this file but the kernel, and touches no global variable
// and no errno.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/control/replay/image.h"
#include "runtime/control/search/restart_point.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

using wire::ImageMapping;
using wire::MappingKind;

static_assert(sizeof(RestartPoint) == sizeof(wire::ImageHeader::point));
constexpr int kSetFs = 0x1002;  // ARCH_SET_FS

uint64_t OwnFs() {
  uint64_t fs;
  asm volatile("movq %%fs:0, %0" : "=r"(fs));
  return fs;
}

bool ReadAt(int fd, void* to, uint64_t bytes, uint64_t place) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    long n = Sys(SYS_pread64, fd, at, bytes, place);
    if (n <= 0) return false;
    at += n;
    place += static_cast<uint64_t>(n);
    bytes -= static_cast<uint64_t>(n);
  }
  return true;
}

const char* NameOf(const ImageWork* work, const ImageMapping& mapping) { return work->names + mapping.name; }

bool IsSame(const ImageWork* work, const MapsLine& now, const ImageMapping& mapping) {
  return mapping.kind == MappingKind::kFile && now.begin == mapping.begin && now.end == mapping.end &&
         now.offset == mapping.offset && now.protection == static_cast<int>(mapping.protection) &&
         (now.protection & PROT_WRITE) == 0 && strcmp(now.name, NameOf(work, mapping)) == 0;
}

// What is mapped now and stays: the kernel's own, stack and heap, and what a file has that nobody writes. The code that
// runs here is among it.
void ChooseWhatStays(ImageWork* work) {
  for (uint32_t i = 0; i < work->now_count; ++i) {
    const MapsLine& now = work->now[i];
    bool special =
        strncmp(now.name, "[v", 2) == 0 || strncmp(now.name, "[stack", 6) == 0 || strncmp(now.name, "[heap", 5) == 0;
    work->stays[i] = special ? 1 : 0;
    for (uint32_t j = 0; j < work->count && work->stays[i] == 0; ++j) {
      if (!IsSame(work, now, work->mappings[j])) continue;
      work->stays[i] = 1;
      work->is_there[j] = 1;
    }
  }
}

const char* CheckPlaces(const ImageWork* work) {
  const wire::ImageHeader& header = work->header;
  for (uint32_t i = 0; i < work->now_count; ++i) {
    const MapsLine& now = work->now[i];
    if (strncmp(now.name, "[vdso", 5) == 0 && now.begin != header.kernel_code)
      return "the kernel's own code lies elsewhere";
    if (strncmp(now.name, "[stack", 6) == 0 && now.end != header.stack_end) return "the stack lies elsewhere";
  }
  return OwnFs() == header.first_fs ? nullptr : "the first thread's variables lie elsewhere";
}

const char* CheckFiles(const ImageWork* work) {
  for (uint32_t i = 0; i < work->count; ++i) {
    const ImageMapping& mapping = work->mappings[i];
    if (mapping.name >= work->header.name_bytes) return "the image is damaged";
    if (mapping.kind != MappingKind::kFile) continue;
    struct stat about{};
    bool same = Sys(SYS_newfstatat, AT_FDCWD, NameOf(work, mapping), &about, 0) == 0 &&
                about.st_size == mapping.bytes && about.st_mtim.tv_sec == mapping.seconds &&
                about.st_mtim.tv_nsec == mapping.nanoseconds;
    if (!same) return NameOf(work, mapping);
  }
  return nullptr;
}

// From here on nothing of the old process may be used.

inline long Raw(long number, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0, uint64_t e = 0,
                uint64_t f = 0) {
  return RawSyscall(number, static_cast<long>(a), static_cast<long>(b), static_cast<long>(c), static_cast<long>(d),
                    static_cast<long>(e), static_cast<long>(f));
}

[[noreturn]] inline void GiveUp() {
  constexpr int kCannotControl = 5;
  Raw(SYS_exit_group, kCannotControl);
  __builtin_unreachable();
}

inline uint64_t Address(const void* of) { return reinterpret_cast<uint64_t>(of); }

inline void MapAnew(const ImageWork* work, const ImageMapping& mapping) {
  uint64_t bytes = mapping.end - mapping.begin;
  uint64_t protection = mapping.protection;
  if (mapping.pieces != 0) protection |= PROT_READ | PROT_WRITE;
  int flags = MAP_FIXED | MAP_NORESERVE | (mapping.kind == MappingKind::kShared ? MAP_SHARED : MAP_PRIVATE);
  long fd = -1;
  uint64_t offset = 0;
  if (mapping.kind == MappingKind::kFile) {
    fd = Raw(SYS_openat, static_cast<uint64_t>(AT_FDCWD), Address(work->names + mapping.name), O_RDONLY | O_CLOEXEC);
    offset = mapping.offset;
    if (fd < 0) GiveUp();
  } else {
    flags |= MAP_ANONYMOUS;
  }
  long at =
      Raw(SYS_mmap, mapping.begin, bytes, protection, static_cast<uint64_t>(flags), static_cast<uint64_t>(fd), offset);
  if (at != static_cast<long>(mapping.begin)) GiveUp();
  if (fd >= 0) Raw(SYS_close, static_cast<uint64_t>(fd));
}

inline void MakeMapping(const ImageWork* work, uint32_t i) {
  const ImageMapping& mapping = work->mappings[i];
  uint64_t bytes = mapping.end - mapping.begin;
  switch (mapping.kind) {
    case MappingKind::kStack:
      // It grows when it is touched.
      (void)*reinterpret_cast<volatile const char*>(mapping.begin);  // NOLINT: a chosen address
      Raw(SYS_madvise, mapping.begin, bytes, MADV_DONTNEED);
      break;
    case MappingKind::kHeap:
      if (Raw(SYS_brk, work->header.heap_end) != static_cast<long>(work->header.heap_end)) GiveUp();
      Raw(SYS_madvise, mapping.begin, bytes, MADV_DONTNEED);
      break;
    default:
      if (work->is_there[i] == 0) {
        MapAnew(work, mapping);
      } else if (mapping.pieces != 0) {
        Raw(SYS_mprotect, mapping.begin, bytes, mapping.protection | PROT_READ | PROT_WRITE);
      }
  }
}

inline void Read(int fd, uint64_t to, uint64_t bytes) {
  while (bytes > 0) {
    long n = Raw(SYS_read, static_cast<uint64_t>(fd), to, bytes);
    if (n <= 0) GiveUp();
    to += static_cast<uint64_t>(n);
    bytes -= static_cast<uint64_t>(n);
  }
}

// Unmaps what the image has no mapping for; the rest is replaced in one step each. So the words that the kernel writes
// by itself (restartable sequences of the first thread, whenever it is interrupted) are mapped at every moment.
inline void UnmapRest(const ImageWork* work, const MapsLine& now) {
  uint64_t at = now.begin;
  for (uint32_t i = 0; i < work->count && at < now.end; ++i) {  // in order of their addresses
    const ImageMapping& mapping = work->mappings[i];
    if (mapping.end <= at || mapping.begin >= now.end) continue;
    if (mapping.begin > at) Raw(SYS_munmap, at, mapping.begin - at);
    at = mapping.end;
  }
  if (at < now.end) Raw(SYS_munmap, at, now.end - at);
}

void Become() {
  ImageWork* work = Work();
  for (uint32_t i = 0; i < work->now_count; ++i) {
    if (work->stays[i] == 0) UnmapRest(work, work->now[i]);
  }
  for (uint32_t i = 0; i < work->count; ++i) MakeMapping(work, i);
  Raw(SYS_lseek, static_cast<uint64_t>(work->fd), sizeof(wire::ImageHeader), SEEK_SET);
  for (;;) {
    wire::ImagePiece piece;
    Read(work->fd, Address(&piece), sizeof piece);
    if (piece.bytes == 0) break;
    Read(work->fd, piece.address, piece.bytes);
  }
  for (uint32_t i = 0; i < work->count; ++i) {
    const ImageMapping& mapping = work->mappings[i];
    bool special = mapping.kind == MappingKind::kStack || mapping.kind == MappingKind::kHeap;
    if (special || mapping.pieces == 0) continue;
    Raw(SYS_mprotect, mapping.begin, mapping.end - mapping.begin, mapping.protection);
  }
  for (uint64_t number = 1; number <= wire::kImageSignals; ++number) {
    Raw(SYS_rt_sigaction, number, Address(work->header.actions[number - 1]), 0, sizeof(uint64_t));
  }
  Raw(SYS_close, static_cast<uint64_t>(work->fd));
  Raw(SYS_arch_prctl, kSetFs, work->header.fs);
  *reinterpret_cast<uint64_t*>(work->header.told) = 1;  // NOLINT: the image says where
  Raw(SYS_rt_sigprocmask, SIG_SETMASK, Address(&work->header.mask), 0, sizeof(uint64_t));
  heddle_restart(reinterpret_cast<const RestartPoint*>(work->header.point));
}

}  // namespace

const char* ReadImage(ImageWork* work, int fd) {
  const wire::ImageHeader& header = work->header;
  bool good = ReadAt(fd, &work->header, sizeof header, 0) && memcmp(header.magic, wire::kImageMagic, 8) == 0 &&
              header.mappings <= kMaxMappings && header.descriptor_bytes <= kDescriptorBytes &&
              header.name_bytes <= sizeof work->names;
  work->count = static_cast<uint32_t>(header.mappings);
  uint64_t place = header.tables;
  uint64_t table = header.mappings * sizeof(ImageMapping);
  good = good && ReadAt(fd, work->mappings, table, place) &&
         ReadAt(fd, work->descriptors, header.descriptor_bytes, place + table) &&
         ReadAt(fd, work->names, header.name_bytes, place + table + header.descriptor_bytes);
  if (!good) return "the image is damaged";
  long lines = ReadMaps(work, work->now, kMaxMappings);
  if (lines < 0) return "/proc/self/maps cannot be read";
  work->now_count = static_cast<uint32_t>(lines);
  work->fd = fd;
  const char* why = CheckPlaces(work);
  return why != nullptr ? why : CheckFiles(work);
}

void TakeUpImage() {
  ImageWork* work = Work();
  ChooseWhatStays(work);
  uint64_t all = ~uint64_t{0};
  Sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all);
  heddle_call_on(work->stack + sizeof work->stack, Become);
}

}  // namespace heddle::rt::control
