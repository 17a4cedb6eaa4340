#include "runtime/control/turn/plain_access.h"

#include "runtime/control/search/gaps.h"
#include "runtime/control/turn/control_thread.h"
#include "runtime/detect/shadow.h"
#include "runtime/mode.h"

namespace heddle::rt::control {
namespace {

AccessTable g_watcher;

void Access(void* address, uint64_t bytes, void* pc, bool writes) {
  if (Passive() || !Controlled() || bytes == 0) return;
  Point point = PointOf(sched::kAccess, reinterpret_cast<uint64_t>(address), pc);
  point.writes = writes;
  // Searches compare at most this many bytes of one access.
  constexpr uint64_t kMost = 255;
  if (bytes > kMost) NoteSharedGap("a block of more than 255 bytes is accessed at once");
  point.detail = static_cast<uint8_t>(bytes > kMost ? kMost : bytes);
  Take(point);
  Look();
  Done(Outcome::Success, !writes);
}

template <int kLog>
void Read(void* address, void* pc) {
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

void WatchPlainAccesses() {
  g_watcher = g_access;
  detect::HideCells();  // an inline look would answer without asking here
  g_access = {
      {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
      {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
      {Read<0>, Read<1>, Read<2>, Read<3>, Read<4>},
      {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>},
      VptrRead,
      VptrWrite,
      ReadRange,
      WriteRange,
      g_watcher.function_entry,
      g_watcher.function_exit,
  };
}

}  // namespace heddle::rt::control
