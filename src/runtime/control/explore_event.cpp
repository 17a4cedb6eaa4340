// What an operation is to a search: its objects and its role (sched/explored_event.h).
#include <semaphore.h>

#include "runtime/control/c11.h"
#include "runtime/control/explore.h"
#include "runtime/control/scheduler.h"

namespace heddle::rt::control {
namespace {

using sched::ExploredEvent;
using sched::Role;

// Objects without an address.
constexpr uint64_t kCalls = (uint64_t{1} << 62U) | 1;
constexpr uint64_t DescriptorKey(uint64_t fd) { return (uint64_t{1} << 62U) | (uint64_t{1} << 32U) | fd; }
constexpr uint64_t RoundKey(uint64_t barrier, uint64_t round) {
  return (uint64_t{1} << 61U) | (barrier ^ (round + 1) << 48U);
}

uint64_t KeyOfNumber(uint64_t number) {
  const ControlThread* thread = ThreadOfNumber(static_cast<uint32_t>(number));
  return thread == nullptr ? 0 : sched::ThreadKey(thread->slot);
}

void SetLock(ExploredEvent& event, const sched::NextOp& op, bool performed) {
  LockDetail detail = LockDetail::Unpack(op.detail);
  bool waits = detail.manner == Manner::Block;
  if (performed && !op.writes) return;  // an attempt that failed
  event.role = waits || performed ? Role::kLock : Role::kAccess;
  if (detail.shared) event.flags |= sched::kShared;
  if (waits) event.flags |= sched::kWaits;
}

void SetSemaphore(ExploredEvent& event, const sched::NextOp& op, bool performed) {
  int value = 0;
  sem_getvalue(reinterpret_cast<sem_t*>(op.address), &value);  // NOLINT: the program's semaphore
  bool post = static_cast<Kind>(op.operation) == Kind::SemPost;
  if (performed && op.writes) value += post ? -1 : 1;
  event.value = static_cast<uint32_t>(value < 0 ? 0 : value);
  if (!op.writes) return;
  event.role = post ? Role::kPost : Role::kSemTake;
  if (!post && op.waits) event.flags |= sched::kWaits;
}

// Once routines and guards are locks that are open for good when the work is done.
void SetOnce(ExploredEvent& event, uint32_t slot, const sched::NextOp& op, bool performed) {
  if (!op.waits) {
    event.role = Role::kUnlock;
    return;
  }
  event.role = Role::kLock;
  event.flags |= sched::kWaits;
  const Point& point = g_slots[slot]->point;
  if (!performed || !point.ready(point.context)) return;
  event.flags = sched::kWaits | sched::kNoHold | sched::kMayWrite;
}

void SetAfter(ExploredEvent& event, uint64_t key, bool waits) {
  event.object = key;
  event.flags = waits ? sched::kWaits : 0;
  if (waits) event.role = Role::kAfter;
}

void SetOwn(ExploredEvent& event, uint32_t slot, const sched::NextOp& op, bool performed) {
  switch (op.operation) {
    case sched::kCall:
      event.object = kCalls;
      break;
    case sched::kFutexSleep:
      if (op.writes) event.role = Role::kSleepBegins;
      break;
    case sched::kCancel:
    case sched::kCancelled:
      event.flags |= sched::kGlobal;
      break;
    case sched::kOnceEnter:
      SetOnce(event, slot, op, performed);
      break;
    case sched::kChoose:
      event.role = Role::kChoice;
      event.object = 0;
      event.second = op.arg;
      event.flags = 0;
      break;
    case sched::kAccess:
      break;
    default:  // print, sleep, yield: nobody's state
      event.object = 0;
      event.flags = 0;
  }
}

bool IsC11Kind(Kind kind) {
  return kind == Kind::AtomicLoad || kind == Kind::AtomicStore || kind == Kind::AtomicRmw || kind == Kind::AtomicCas;
}

// Whatever the order of such operations is, they may read the same.
void SetAtomic(ExploredEvent& event, uint32_t slot, Kind kind, const sched::NextOp& op, bool performed) {
  const C11Thread& c11 = g_slots[slot]->c11;
  // A read-modify-write that leaves the value is a store as well.
  bool stores = performed ? c11.own != 0 : op.writes;
  event.role = kind == Kind::AtomicStore ? Role::kWrite : stores ? Role::kUpdate : Role::kRead;
  event.flags = stores ? sched::kWrites : kind == Kind::AtomicLoad ? 0 : sched::kMayWrite;
  event.value = performed ? c11.choice : sched::kAnyValue;
  if (!performed) return;
  event.own = c11.own;
  event.rank = static_cast<uint16_t>(c11.rank);
  event.options = static_cast<uint16_t>(c11.options);
}

}  // namespace

ExploredEvent EventOf(uint32_t slot, const sched::NextOp& op, bool performed, uint32_t forked) {
  ExploredEvent event;  // the only one that is returned, so that it is made where the caller wants it
  event.thread = static_cast<uint8_t>(slot);
  event.operation = op.operation;
  event.pc = op.pc;
  event.object = op.address;
  event.flags = op.writes ? sched::kWrites : 0;
  if (op.operation >= sched::kFirstOwn) {
    if (!op.writes && op.operation == sched::kFutexSleep) event.flags = sched::kMayWrite;
    SetOwn(event, slot, op, performed);
    return event;
  }
  auto kind = static_cast<Kind>(op.operation);
  if (C11() && g_slots[slot]->c11.prepared && IsC11Kind(kind)) {
    SetAtomic(event, slot, kind, op, performed);
    return event;
  }
  bool attempt = kind == Kind::AtomicCas || kind == Kind::AtomicRmw || kind == Kind::Lock || kind == Kind::SemWait;
  if (!op.writes && attempt) event.flags = sched::kMayWrite;
  switch (kind) {
    case Kind::Lock:
      SetLock(event, op, performed);
      break;
    case Kind::Unlock:
      event.role = Role::kUnlock;
      break;
    case Kind::SemPost:
    case Kind::SemWait:
      SetSemaphore(event, op, performed);
      break;
    case Kind::CondWait:
      event.role = Role::kSleepBegins;
      event.second = op.arg;
      break;
    case Kind::CondWake:
      event.role = Role::kWake;
      event.second = op.arg;
      event.flags |= sched::kWaits | (op.timed ? sched::kTimed : 0);
      break;
    case Kind::FutexWait:
      event.role = Role::kWake;
      event.flags |= op.timed ? 0 : sched::kWaits;
      break;
    case Kind::CondSignal:
    case Kind::CondBroadcast:
    case Kind::FutexWake:
      event.role = Role::kSignal;
      event.value = kind == Kind::CondSignal  ? 1
                    : kind == Kind::FutexWake ? static_cast<uint32_t>(op.arg)
                                              : sched::kBroadcast;
      break;
    case Kind::BarrierEnter:
      event.second = RoundKey(op.address, op.arg);
      break;
    case Kind::BarrierExit:
      SetAfter(event, RoundKey(op.address, op.arg), true);
      break;
    case Kind::ThreadFork:
      event.object = forked == sched::kNoSlot ? 0 : sched::ThreadKey(forked);
      break;
    case Kind::ThreadBegin:
      SetAfter(event, sched::ThreadKey(slot), true);
      break;
    case Kind::ThreadEnd:
      event.object = sched::ThreadKey(slot);
      break;
    case Kind::ThreadJoin:
      SetAfter(event, KeyOfNumber(op.arg), op.waits);
      break;
    case Kind::ProcessExit:
    case Kind::ProcessFork:
      event.flags |= sched::kGlobal;
      break;
    case Kind::FdRead:
    case Kind::FdWrite:
      event.object = DescriptorKey(op.address);
      break;
    default:
      break;
  }
  return event;
}

}  // namespace heddle::rt::control
