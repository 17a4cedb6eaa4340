#include "runtime/control/report/places.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstring>

#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {

const wire::SteerRange* g_places = nullptr;

namespace {

constexpr uint32_t kMaxCalls = 64;
uint32_t g_range_count = 0;

const wire::SteerHeader* Refuse(const char* path) {
  Message("not a plan for threads, the program is not run: ", path == nullptr ? "HEDDLE_PLACES is not set" : path);
  return nullptr;
}

bool IsPlan(const wire::SteerHeader* header, uint64_t bytes) {
  return memcmp(header->magic, wire::kSteerMagic, sizeof header->magic) == 0 && header->edges <= wire::kMaxSteerEdges &&
         bytes == sizeof *header + uint64_t{header->ranges} * sizeof(wire::SteerRange);
}

}  // namespace

uint32_t OwnCalls(uint64_t pc, uint64_t* calls, uint32_t limit) {
  uint32_t count = 0;
  calls[count++] = pc;
  for (const Frame* frame = t_hot.top; frame != nullptr && frame <= t_hot.limit && frame > t_hot.bottom; --frame) {
    if (count == limit) break;
    calls[count++] = frame[-1].call_pc;
  }
  return count;
}

const wire::SteerHeader* LoadPlaces(const char* path) {
  long fd = path == nullptr ? -1 : Sys(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (fd < 0 || Sys(SYS_fstat, fd, &about) != 0) return Refuse(path);
  auto bytes = static_cast<uint64_t>(about.st_size);
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ, MAP_PRIVATE, fd, 0L);
  Sys(SYS_close, fd);
  if (at == -1 || bytes < sizeof(wire::SteerHeader)) return Refuse(path);
  const auto* header = reinterpret_cast<const wire::SteerHeader*>(at);  // NOLINT: the kernel's number
  if (!IsPlan(header, bytes)) return Refuse(path);
  g_range_count = header->ranges;
  g_places = reinterpret_cast<const wire::SteerRange*>(header + 1);
  return header;
}

uint64_t PlacesHere(const ControlThread* thread, const Point& point) {
  if (thread != Self() || point.pc == 0) return 0;
  uint64_t calls[kMaxCalls];
  uint32_t count = OwnCalls(point.pc, calls, kMaxCalls);
  return wire::PlacesOf(calls, count, g_places, g_range_count);
}

}  // namespace heddle::rt::control
