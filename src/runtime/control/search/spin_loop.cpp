#include "runtime/control/search/spin_loop.h"

#include <unistd.h>
#include <xxhash.h>

#include <cstring>

#include "runtime/control/search/explore.h"
#include "runtime/control/search/foreign_modules.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/detect/sync_ops.h"
#include "runtime/output/process_text.h"

namespace heddle::rt::control {
namespace {

bool g_last_round = false;
AccessTable g_watcher;
constexpr uint64_t kSavedRegisters = 40;  // below the frame's base: five, and rbp at it
constexpr uint64_t kMostStack = 1U << 20U;

bool MayGo(const void* thread) { return static_cast<const ControlThread*>(thread)->loop.state == Spin::kChance; }

uint64_t StackEnd(const ControlThread* self) {
  // Above a thread's first frame are its thread-local variables, the runtime's own among them.
  return self->loop.first_frame != 0 ? self->loop.first_frame : self->stack_end;
}

// Registers, return address and stack of the caller, and the locks that it took since its last effect. 0: not known.
uint64_t PlaceOf(ControlThread* self, const void* frame) {
  if (self->stack_end == 0) FindStack(self);
  uint64_t begin = reinterpret_cast<uint64_t>(frame) - kSavedRegisters;
  if (begin < self->stack_begin || begin >= self->stack_end) return 0;  // a stack of the program's own making
  uint64_t end = StackEnd(self);
  uint64_t bytes = begin < end ? end - begin : 0;
  if (bytes > kMostStack) return 0;
  const SpinLoop& loop = self->loop;
  uint64_t locks = XXH64(loop.lock_name, loop.locks * sizeof loop.lock_name[0], 0);
  return XXH64(reinterpret_cast<const void*>(begin), bytes, locks) | 1U;  // NOLINT: its stack
}

// Whether plain memory is as it was when the thread was there, as far as it wrote itself.
bool SameMemory(const SpinLoop& loop, const RoundPlace& place) {
  if (loop.writes > SpinLoop::kWrites) return false;
  for (uint32_t i = place.writes; i < loop.writes; ++i) {
    const RoundWrite& write = loop.write[i];
    bool first = true;
    for (uint32_t k = place.writes; k < i && first; ++k) {
      first = loop.write[k].address != write.address || loop.write[k].bytes < write.bytes;
    }
    bool differs = memcmp(reinterpret_cast<const void*>(write.address), &write.before, write.bytes) != 0;  // NOLINT
    if (first && differs) return false;
  }
  return true;
}

void AddPlace(SpinLoop& loop, uint64_t what) {
  uint32_t at = loop.seen < SpinLoop::kPlaces ? loop.seen++ : SpinLoop::kPlaces - 1;
  loop.places[at] = {what, loop.writes};
}

// The next write of each word comes to NoteRoundWrite, whatever an inline look knows of the last ones.
void NewSegment() {
  if (g_mode == Mode::Detect) detect::NewSegment();
}

void Stop(ControlThread* self, uint64_t place) {
  SpinLoop& loop = self->loop;
  loop.state = loop.state == Spin::kChance && !HasForeignModules() ? Spin::kStuck : Spin::kStopped;
  Point point = self->point;  // where it stands: before the operation that it did last
  point.ready = MayGo;
  point.context = self;
  Take(point);
  self->grant.store(kPerform, std::memory_order_relaxed);  // for the operation itself
  RuntimeScope::Leave();
  loop.seen = loop.writes = 0;
  AddPlace(loop, place);
}

// Nothing is known of rounds before. A thread that does this in its last round has left the loop.
void BeginAnew(SpinLoop& loop) {
  loop.Begin();
  if (loop.state == Spin::kChance) loop.state = Spin::kNot;
}

// False when there is no room for it.
bool TakesLock(SpinLoop& loop, uint64_t object) {
  if (loop.locks == SpinLoop::kLocks) return false;
  loop.lock[loop.locks] = object;
  loop.lock_name[loop.locks++] = ++loop.taken;
  return true;
}

// False when the round did not take it, or leaves something behind for the next who takes it.
bool GivesBack(SpinLoop& loop, uint64_t object) {
  if (!SameMemory(loop, {0, 0})) return false;
  for (uint32_t i = loop.locks; i-- > 0;) {
    if (loop.lock[i] != object) continue;
    for (--loop.locks; i < loop.locks; ++i) {
      loop.lock[i] = loop.lock[i + 1];
      loop.lock_name[i] = loop.lock_name[i + 1];
    }
    return true;
  }
  return false;
}

// A thread failed to get a lock: whoever took it in a round was seen there.
void WasSeen(const ControlThread* by, uint64_t object) {
  ForEachLive([&](ControlThread* thread) {
    SpinLoop& loop = thread->loop;
    if (thread == by) return;
    for (uint32_t i = 0; i < loop.locks; ++i) {
      if (loop.lock[i] == object) return loop.Begin();
    }
  });
}

// The loop of the calling thread if what it writes there matters: after a first place, and not to its stack, which is
// compared as a whole.
SpinLoop* RoundOf(uint64_t begin, uint64_t bytes) {
  ControlThread* self = t_hot.in_runtime != 0 ? nullptr : Self();
  if (self == nullptr || self->loop.seen == 0) return nullptr;
  bool on_stack = begin >= self->stack_begin && begin + bytes <= StackEnd(self);
  return on_stack ? nullptr : &self->loop;
}

void NoteRoundWrite(void* address, uint64_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(address);
  SpinLoop* loop = RoundOf(begin, bytes);
  if (loop == nullptr) return;
  for (uint64_t at = begin; at < begin + bytes; at += sizeof(uint64_t)) {
    if (loop->writes >= SpinLoop::kWrites) return loop->LoseWrites();
    uint64_t left = begin + bytes - at;
    RoundWrite& write = loop->write[loop->writes++];
    write = {at, 0, static_cast<uint32_t>(left < sizeof(uint64_t) ? left : sizeof(uint64_t))};
    memcpy(&write.before, reinterpret_cast<const void*>(at), write.bytes);  // NOLINT: the program's memory
  }
}

template <int kLog>
void FreshWrite(void* address, void* pc) {
  NoteRoundWrite(address, uint64_t{1} << kLog);
  g_watcher.fresh_write[kLog](address, pc);
}
template <int kLog>
void Write(void* address, void* pc) {
  NoteRoundWrite(address, uint64_t{1} << kLog);
  g_watcher.write[kLog](address, pc);
}
void VptrWrite(void* address, void* pc) {
  NoteRoundWrite(address, sizeof(void*));
  g_watcher.vptr_write(address, pc);
}
// Calls of libc tell what they wrote when they have: what was there before is not known.
void WriteRange(void* address, uint64_t bytes, void* pc) {
  SpinLoop* loop = RoundOf(reinterpret_cast<uint64_t>(address), bytes);
  if (loop != nullptr) loop->LoseWrites();
  g_watcher.write_range(address, bytes, pc);
}

}  // namespace

void WatchRounds() {
  g_watcher = g_access;
  constexpr int kSizes = 5;
  void (*const fresh[kSizes])(void*, void*) = {FreshWrite<0>, FreshWrite<1>, FreshWrite<2>, FreshWrite<3>,
                                               FreshWrite<4>};
  void (*const write[kSizes])(void*, void*) = {Write<0>, Write<1>, Write<2>, Write<3>, Write<4>};
  for (int i = 0; i < kSizes; ++i) {
    g_access.fresh_write[i] = fresh[i];
    g_access.write[i] = write[i];
  }
  g_access.vptr_write = VptrWrite;
  g_access.write_range = WriteRange;
}

void NoteRoundEffect(ControlThread* self, bool idle) {
  SpinLoop& loop = self->loop;
  const Point& point = self->point;
  if (idle) {
    if (point.operation == sched::Code(Kind::Lock)) WasSeen(self, point.address);
    return;
  }
  bool goes_on = false;
  if (point.operation == sched::Code(Kind::Lock)) goes_on = TakesLock(loop, point.address);
  if (point.operation == sched::Code(Kind::Unlock)) goes_on = GivesBack(loop, point.address);
  if (!goes_on) BeginAnew(loop);
}

void NoteHiddenEffect() {
  if (ControlThread* self = Self(); self != nullptr) BeginAnew(self->loop);
}

void NoteMemoryRemapped() {
  ForEachLive([](ControlThread* thread) {
    if (thread->loop.writes > 0) thread->loop.LoseWrites();
  });
}

void FindStack(ControlThread* self) {
  void* low = nullptr;
  size_t bytes = 0;
  StackRange(&low, &bytes);
  self->stack_begin = reinterpret_cast<uint64_t>(low);
  self->stack_end = self->stack_begin + bytes;
  // The main thread's goes on with the environment and the arguments, which are nobody's frames.
  auto environment = reinterpret_cast<uint64_t>(environ);
  bool on_stack = environment > self->stack_begin && environment < self->stack_end;
  if (self->number == 0 && on_stack) self->stack_end = environment;
}

void ComeRound(const void* frame) {
  ControlThread* self = Self();
  if (self == nullptr || t_hot.in_runtime != 0 || !Searching()) return;
  RuntimeScope scope;
  SpinLoop& loop = self->loop;
  uint64_t place = PlaceOf(self, frame);
  if (place == 0) return;
  for (uint32_t i = 0; i < loop.seen; ++i) {
    if (loop.places[i].what == place && SameMemory(loop, loop.places[i])) return Stop(self, place);
  }
  AddPlace(loop, place);
  NewSegment();
}

bool LastChance() {
  bool any = false;
  ForEachLive([&](ControlThread* thread) {
    if (thread->loop.state != Spin::kStopped) return;
    thread->loop.state = Spin::kChance;
    Enable(thread);
    any = true;
  });
  g_last_round = g_last_round || (any && !HasForeignModules());
  return any;
}

bool InLastRound() { return g_last_round; }

}  // namespace heddle::rt::control
