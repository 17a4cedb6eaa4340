#include "runtime/control/search/c11.h"

#include <cstdlib>

#include "runtime/control/replay/variables.h"
#include "runtime/control/search/explore.h"
#include "runtime/detect/weak_mode.h"
#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "wire/control_words.h"
#include "wire/environment.h"

namespace heddle::rt::control {

sched::C11Graph* g_c11 = nullptr;

namespace {

using wire::Role;

// Replays: the ranks of a schedule's header, one after the other. False: there is none.
bool RecordedRank(uint32_t* rank) {
  static const char* at = Variable(wire::variable::kReads);
  if (at == nullptr || *at == '\0') return false;
  char* end = nullptr;
  *rank = static_cast<uint32_t>(strtoul(at, &end, 10));
  at = *end == ',' ? end + 1 : end;
  return true;
}

}  // namespace

bool StartC11() {
  wire::MemoryModel memory = wire::MemoryModel::kSc;
  if (!wire::FromWord(g_options.memory, &memory)) {
    Message("HEDDLE_OPTIONS: there is no such memory: ", g_options.memory);
    return false;
  }
  if (memory == wire::MemoryModel::kSc) return true;
  void* pages = MapPages(sizeof(sched::C11Graph));
  if (pages == nullptr) {
    Message("no memory for memory=c11");
    return false;
  }
  g_c11 = static_cast<sched::C11Graph*>(pages);  // all zero is its beginning
  return true;
}

void PrepareC11(const sched::C11Access& access) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  self->c11.access = access;
  self->c11.access.thread = static_cast<uint8_t>(self->slot % wire::kMaxC11Threads);
  self->c11.prepared = true;
}

uint32_t ChooseC11(ControlThread* self, uint64_t present) {
  const sched::C11Access& access = self->c11.access;
  if (Exploring()) return ChooseExplored(self, present);
  uint32_t rank = 0;
  if (RecordedRank(&rank)) return g_c11->Ranked(access, present, rank);
  return g_c11->Last(access, present);
}

void NoteC11(ControlThread* self, uint32_t choice, const sched::C11Graph::Performed& performed) {
  self->c11.choice = choice;
  self->c11.own = performed.own;
  self->c11.rank = performed.rank;
  detect::g_told_place = {true, performed.rank, performed.before, performed.incarnation};
  if (!Exploring()) return;
  if (g_c11->MixedSizes()) g_link->mixed = 1;
  if (g_c11->Overflowed()) EndExecution(wire::LinkEnd::kDepth);
}

void FenceC11(uint8_t order) {
  ControlThread* self = Self();
  if (self != nullptr) g_c11->Fence(static_cast<uint8_t>(self->slot % wire::kMaxC11Threads), static_cast<Order>(order));
}

void LookC11(uint64_t address, uint32_t present) {
  ControlThread* self = Self();
  if (self == nullptr) return;
  FenceC11(static_cast<uint8_t>(Order::SeqCst));
  sched::C11Access access;
  access.thread = static_cast<uint8_t>(self->slot % wire::kMaxC11Threads);
  access.bytes = sizeof present;
  access.address = address;
  uint32_t last = g_c11->Last(access, present);
  g_c11->Perform(access, present, last, 0, [](uint64_t read) { return read; });
}

void SynchroniseC11(const wire::ExploredEvent& event) {
  bool writes = event.Has(wire::kWrites);
  switch (event.role) {
    case Role::kLock:
    case Role::kSemTake:
    case Role::kAfter:
      g_c11->Acquire(event.thread, event.object);
      break;
    case Role::kWake:
      if (event.second != 0) g_c11->Acquire(event.thread, event.second);
      break;
    case Role::kSleepBegins:
      if (event.second != 0) g_c11->Release(event.thread, event.second);
      break;
    case Role::kUnlock:
    case Role::kPost:
      g_c11->Release(event.thread, event.object);
      break;
    case Role::kAccess: {
      // Creating and ending a thread, entering a barrier, reading and writing a descriptor, atomics of 16 bytes.
      bool reads = event.operation == sched::Code(Kind::FdRead) || event.operation == sched::Code(Kind::AtomicLoad) ||
                   event.operation == sched::Code(Kind::AtomicRmw) || event.operation == sched::Code(Kind::AtomicCas);
      if (event.object != 0 && reads) g_c11->Acquire(event.thread, event.object);
      if (event.object != 0 && writes) g_c11->Release(event.thread, event.object);
      if (event.second != 0 && writes) g_c11->Release(event.thread, event.second);
      break;
    }
    default:
      break;
  }
}

void ForgetC11(const void* block, uint64_t bytes) { g_c11->Forget(reinterpret_cast<uint64_t>(block), bytes); }

}  // namespace heddle::rt::control
