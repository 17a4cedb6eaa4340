#include "runtime/control/search/access_log.h"

#include "runtime/control/search/explore.h"
#include "runtime/control/turn/control_thread.h"
#include "runtime/detect/shadow.h"
#include "runtime/mode.h"
#include "runtime/visible.h"
#include "wire/plain_access.h"

#define HEDDLE_ABI extern "C" __attribute__((visibility("default")))

// Read by code of the pass plugin.
HEDDLE_ABI unsigned char __heddle_marks_wanted;
unsigned char __heddle_marks_wanted = 0;

namespace heddle::rt::control {
namespace {

using wire::AccessKind;
using wire::PlainAccess;

AccessTable g_watcher;
uint32_t g_units = 0;
uint32_t g_marked_units = 0;
void* g_adds = nullptr;  // the next write here adds

// What was logged last, by address: loops repeat their accesses. It is restored with the program's memory, so that each
// execution begins with an empty one.
constexpr uint64_t kRecent = 128;
PlainAccess g_recent[kRecent];

bool IsSame(const PlainAccess& a, const PlainAccess& b) {
  return a.address == b.address && a.bytes == b.bytes && a.after == b.after && a.thread == b.thread && a.kind == b.kind;
}

void Log(void* address, uint64_t bytes, AccessKind kind) {
  if (Passive() || !Controlled()) return;
  PlainAccess access;
  access.address = reinterpret_cast<uint64_t>(address);
  access.bytes = static_cast<uint32_t>(bytes);
  access.after = static_cast<uint32_t>(g_link->events);
  access.thread = static_cast<uint16_t>(Self()->slot);
  access.kind = kind;
  if (bytes > UINT32_MAX) g_link->accesses_lost = wire::kLostMany;
  PlainAccess& recent = g_recent[(access.address >> 2U) % kRecent];
  if (access.after != 0 && IsSame(recent, access)) return;
  recent = access;
  uint32_t at = g_link->accesses;
  if (at == wire::kLinkAccesses) {
    g_link->accesses_lost = wire::kLostMany;
    return;
  }
  g_link->access[at] = access;
  g_link->accesses = at + 1;
}

template <int kLog>
void Read(void* address, void* pc) {
  Log(address, uint64_t{1} << kLog, AccessKind::kRead);
  g_watcher.read[kLog](address, pc);
}
template <int kLog>
void Write(void* address, void* pc) {
  constexpr uint64_t kBytes = uint64_t{1} << kLog;
  bool in_word = reinterpret_cast<uint64_t>(address) % 8 + kBytes <= 8;
  Log(address, kBytes, g_adds == address && in_word ? AccessKind::kAdd : AccessKind::kWrite);
  g_adds = nullptr;
  g_watcher.write[kLog](address, pc);
}
void VptrRead(void* address, void* pc) {
  Log(address, sizeof(void*), AccessKind::kRead);
  g_watcher.vptr_read(address, pc);
}
void VptrWrite(void* address, void* pc) {
  Log(address, sizeof(void*), AccessKind::kWrite);
  g_watcher.vptr_write(address, pc);
}
void ReadRange(void* address, uint64_t bytes, void* pc) {
  Log(address, bytes, AccessKind::kRead);
  g_watcher.read_range(address, bytes, pc);
}
void WriteRange(void* address, uint64_t bytes, void* pc) {
  Log(address, bytes, AccessKind::kWrite);
  g_watcher.write_range(address, bytes, pc);
}

}  // namespace

void StartAccessLog() {
  if (!Exploring() || g_link->log_accesses == 0) return;
  __heddle_marks_wanted = 1;
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

void ClearAccessLog() {
  g_link->accesses = 0;
  g_link->accesses_lost = g_units == g_marked_units ? wire::kLostNone : wire::kLostUnmarked;
}

void NoteUnit() {
  ++g_units;
  // A library that an execution loads: its marks are counted too late.
  if (Exploring() && g_link->ready != 0) g_link->accesses_lost = wire::kLostUnmarked;
}

}  // namespace heddle::rt::control

HEDDLE_ABI void __heddle_marked_unit() { ++heddle::rt::control::g_marked_units; }
HEDDLE_ABI void __heddle_adds(void* address) { heddle::rt::control::g_adds = address; }
HEDDLE_ABI void __heddle_outside() {
  if (heddle::rt::control::Exploring()) heddle::rt::control::Log(nullptr, 0, heddle::wire::AccessKind::kOutside);
}
