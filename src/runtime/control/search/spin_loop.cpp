#include "runtime/control/search/spin_loop.h"

#include <unistd.h>
#include <xxhash.h>

#include "runtime/control/search/explore.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/output/process_text.h"

namespace heddle::rt::control {
namespace {

bool g_last_round = false;
constexpr uint64_t kSavedRegisters = 40;  // below the frame's base: five, and rbp at it

bool MayGo(const void* thread) { return static_cast<const ControlThread*>(thread)->loop.state == Spin::kChance; }

// Registers, return address and stack of the caller.
uint64_t PlaceOf(ControlThread* self, const void* frame) {
  if (self->stack_end == 0) FindStack(self);
  uint64_t begin = reinterpret_cast<uint64_t>(frame) - kSavedRegisters;
  if (begin < self->stack_begin || begin >= self->stack_end) return 0;  // a stack of the program's own making
  constexpr uint64_t kMost = 1U << 16U;
  // Above a thread's first frame are its thread-local variables, the runtime's own among them.
  uint64_t end = self->loop.first_frame != 0 ? self->loop.first_frame : self->stack_end;
  uint64_t bytes = begin < end ? end - begin : 0;
  return XXH64(reinterpret_cast<const void*>(begin), bytes < kMost ? bytes : kMost, 0) | 1U;  // NOLINT: its stack
}

void Stop(ControlThread* self, uint64_t place) {
  bool again = self->loop.state == Spin::kChance;
  if (again && place != self->loop.stopped_at) EndExecution(wire::LinkEnd::kBlocked);
  self->loop.state = again ? Spin::kStuck : Spin::kStopped;
  self->loop.stopped_at = place;
  Point point = self->point;  // where it stands: before the operation that it did last
  point.ready = MayGo;
  point.context = self;
  Take(point);
  self->grant.store(kPerform, std::memory_order_relaxed);  // for the operation itself
  RuntimeScope::Leave();
}

}  // namespace

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
  for (uint32_t i = 0; i < loop.seen && i < SpinLoop::kRounds; ++i) {
    if (loop.places[i] != place) continue;
    return Stop(self, place);
  }
  loop.places[loop.seen % SpinLoop::kRounds] = place;
  if (loop.seen < SpinLoop::kRounds) ++loop.seen;
}

bool LastChance() {
  bool any = false;
  ForEachLive([&](ControlThread* thread) {
    if (thread->loop.state != Spin::kStopped) return;
    thread->loop.state = Spin::kChance;
    Enable(thread);
    any = true;
  });
  g_last_round = g_last_round || any;
  return any;
}

bool InLastRound() { return g_last_round; }

}  // namespace heddle::rt::control
