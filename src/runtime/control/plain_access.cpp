#include "runtime/control/plain_access.h"

#include "runtime/control/control_thread.h"
#include "runtime/detect/shadow.h"
#include "runtime/mode.h"
#include "runtime/record/process_text.h"

namespace heddle::rt::control {
namespace {

AccessTable g_watcher;

// What is on a thread's own stack is taken to be its own: compilers report many such accesses.
bool IsOwnStack(ControlThread* self, uint64_t address) {
  if (self->stack_end == 0) {
    RuntimeScope scope;
    void* low = nullptr;
    size_t bytes = 0;
    StackRange(&low, &bytes);
    self->stack_begin = reinterpret_cast<uint64_t>(low);
    self->stack_end = self->stack_begin + bytes;
  }
  return address >= self->stack_begin && address < self->stack_end;
}

void Access(void* address, void* pc, bool writes) {
  if (Passive() || !Controlled()) return;
  if (IsOwnStack(Self(), reinterpret_cast<uint64_t>(address))) return;
  Point point = PointOf(sched::kAccess, reinterpret_cast<uint64_t>(address), pc);
  point.writes = writes;
  Take(point);
  Done(Outcome::Success, !writes);
}

template <int kLog>
void Read(void* address, void* pc) {
  Access(address, pc, false);
  g_watcher.read[kLog](address, pc);
}
template <int kLog>
void Write(void* address, void* pc) {
  Access(address, pc, true);
  g_watcher.write[kLog](address, pc);
}
void VptrRead(void* address, void* pc) {
  Access(address, pc, false);
  g_watcher.vptr_read(address, pc);
}
void VptrWrite(void* address, void* pc) {
  Access(address, pc, true);
  g_watcher.vptr_write(address, pc);
}
void ReadRange(void* address, uint64_t bytes, void* pc) {
  Access(address, pc, false);
  g_watcher.read_range(address, bytes, pc);
}
void WriteRange(void* address, uint64_t bytes, void* pc) {
  Access(address, pc, true);
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
