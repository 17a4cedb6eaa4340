#include "runtime/control/turn/plain_access.h"

#include <cstdlib>

#include "runtime/control/search/explore.h"
#include "runtime/control/search/gaps.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/detect/shadow.h"
#include "runtime/mode.h"

// Read by code of the pass plugin.
extern "C" __attribute__((visibility("default"))) unsigned char __heddle_volatile_wanted;
unsigned char __heddle_volatile_wanted = 0;

namespace heddle::rt::control {
namespace {

AccessTable g_watcher;

// Return addresses of the compiler's calls, both ends included.
struct Place {
  uint64_t first;
  uint64_t last;
};
constexpr uint32_t kPlaces = 64;
Place g_places[kPlaces];
uint32_t g_place_count = 0;

bool IsPoint(const void* pc) {
  if (g_place_count == 0) return true;  // all are
  auto at = reinterpret_cast<uint64_t>(pc);
  for (uint32_t i = 0; i < g_place_count; ++i) {
    if (at >= g_places[i].first && at <= g_places[i].last) return true;
  }
  return false;
}

// A number and what follows it; null when there is none.
const char* ReadAddress(const char* text, uint64_t* address) {
  char* end = nullptr;
  *address = strtoull(text, &end, 16);
  return end == text ? nullptr : end;
}

void Access(void* address, uint64_t bytes, void* pc, bool writes) {
  if (Passive() || !Controlled() || bytes == 0 || !IsPoint(pc)) return;
  Point point = PointOf(sched::kAccess, reinterpret_cast<uint64_t>(address), pc);
  point.writes = writes;
  // Searches compare at most this many bytes of one access.
  constexpr uint64_t kMost = 255;
  if (bytes > kMost) NoteSharedGap("a block of more than 255 bytes is accessed at once");
  point.detail = static_cast<uint8_t>(bytes > kMost ? kMost : bytes);
  Take(point);
  NoteMemoryBefore();
  Done(Outcome::Success, !writes);
}

template <int kLog>
void Read(void* address, void* pc) {
  HEDDLE_WATCH_LOOP();
  Access(address, 1U << kLog, pc, false);
  g_watcher.read[kLog](address, pc);
}
template <int kLog>
void Write(void* address, void* pc) {
  Access(address, 1U << kLog, pc, true);
  g_watcher.write[kLog](address, pc);
}
void VptrRead(void* address, void* pc) {
  Access(address, sizeof(void*), pc, false);
  g_watcher.vptr_read(address, pc);
}
void VptrWrite(void* address, void* pc) {
  Access(address, sizeof(void*), pc, true);
  g_watcher.vptr_write(address, pc);
}
void ReadRange(void* address, uint64_t bytes, void* pc) {
  Access(address, bytes, pc, false);
  g_watcher.read_range(address, bytes, pc);
}
void WriteRange(void* address, uint64_t bytes, void* pc) {
  Access(address, bytes, pc, true);
  g_watcher.write_range(address, bytes, pc);
}

}  // namespace

bool SetPlainPlaces(const char* text) {
  for (g_place_count = 0; *text != '\0' && g_place_count < kPlaces;) {
    Place& place = g_places[g_place_count++];
    const char* end = ReadAddress(text, &place.first);
    place.last = place.first;
    if (end != nullptr && *end == '-') end = ReadAddress(end + 1, &place.last);
    if (end == nullptr || (*end != ',' && *end != '\0')) return false;
    text = *end == ',' ? end + 1 : end;
  }
  g_plain_places = g_place_count != 0 && *text == '\0';
  return g_plain_places;
}

void WatchPlainAccesses() {
  __heddle_volatile_wanted = g_visible == Visible::kVolatile ? 1 : 0;
  if (g_visible != Visible::kAll && !g_plain_places) return;
  g_watcher = g_access;
  detect::HideCells();  // an inline look would answer without asking here
  g_access = {
      .fresh_read = {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
      .fresh_write = {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
      .read = {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
      .write = {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
      .vptr_read = VptrRead,
      .vptr_write = VptrWrite,
      .read_range = ReadRange,
      .write_range = WriteRange,
      .function_entry = g_watcher.function_entry,
      .function_exit = g_watcher.function_exit,
  };
}

}  // namespace heddle::rt::control
