// What an operation is to a search: its objects and its role (wire/explored_event.h).
#include <semaphore.h>

#include "runtime/control/search/c11.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/control/turn/waits.h"

namespace heddle::rt::control {
namespace {

using wire::ExploredEvent;
using wire::Role;

// Objects without an address.
constexpr uint64_t kCalls = (uint64_t{1} << 62U) | 1;
constexpr uint64_t DescriptorKey(uint64_t fd) { return (uint64_t{1} << 62U) | (uint64_t{1} << 32U) | fd; }
constexpr uint64_t RoundKey(uint64_t barrier, uint64_t round) {
  return (uint64_t{1} << 61U) | (barrier ^ (round + 1) << 48U);
}

uint64_t KeyOfNumber(uint64_t number) {
  const ControlThread* thread = ThreadOfNumber(static_cast<uint32_t>(number));
  return thread == nullptr ? 0 : wire::ThreadKey(thread->slot);
}

// All descriptors are one object: ends of pipes, sets of descriptors and duplicates need not be told apart.
void SetDescriptors(ExploredEvent& event, const sched::NextOp& op) {
  event.object = kCalls;
  if (!op.waits) return;
  event.role = Role::kReady;
  event.flags |= wire::kWaits;
}

// The eight aligned bytes around the address.
uint64_t WordAt(uint64_t address) {
  auto* word = reinterpret_cast<const uint64_t*>(address & ~uint64_t{7});  // NOLINT: the program's memory
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

// Graphs of C11 atomics have objects that are a whole.
void SetMemory(ExploredEvent& event, uint8_t bytes, uint64_t before) {
  if (C11()) return;
  event.bytes = bytes;
  event.before = before;
}

// Whether it writes is a question of the state: under `condition`.
void SetCondition(ExploredEvent& event, wire::Condition condition) {
  event.flags |= wire::kMayWrite;
  event.condition = condition;
}
void SetCondition(ExploredEvent& event, wire::Condition condition, uint64_t operand) {
  if (C11()) {
    event.flags |= wire::kWrites;
    return;
  }
  SetCondition(event, condition);
  event.operand = operand;
}

// An update whose result nobody looks at commutes with others of its kind. They count as writing whatever they find:
// which of two that set one bit changes it is a question of their order. False: it is none, or changes nothing.
bool SetCommutes(ExploredEvent& event, RmwOp how, const sched::NextOp& op) {
  if (!op.unused || !LeavesOrdersOpen() || C11()) return false;
  uint64_t all = event.bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8U * event.bytes) - 1;
  uint64_t operand = op.arg;
  uint64_t nothing = 0;
  switch (how) {
    case RmwOp::Add:
      event.commutes = wire::Commutes::kAdds;
      break;
    case RmwOp::Sub:
      event.commutes = wire::Commutes::kAdds;
      operand = 0 - operand;
      break;
    case RmwOp::Or:
      event.commutes = wire::Commutes::kOrs;
      break;
    case RmwOp::Xor:
      event.commutes = wire::Commutes::kXors;
      break;
    case RmwOp::And:
      event.commutes = wire::Commutes::kAnds;
      nothing = all;
      break;
    default:
      return false;
  }
  if ((operand & all) == nothing) {
    event.commutes = wire::Commutes::kNo;
    return false;
  }
  event.operand = operand & all;
  event.flags = wire::kWrites;
  return true;
}

void SetRmw(ExploredEvent& event, RmwOp how, uint64_t operand) {
  switch (how) {
    case RmwOp::Exchange:
      return SetCondition(event, wire::Condition::kDiffers, operand);
    case RmwOp::Or:
      return SetCondition(event, wire::Condition::kOr, operand);
    case RmwOp::And:
      return SetCondition(event, wire::Condition::kAnd, operand);
    case RmwOp::Nand:
      return SetCondition(event, wire::Condition::kNand, operand);
    default:  // adds or flips something, or nothing
      event.flags = operand == 0 ? 0 : wire::kWrites;
  }
}

// Sequential consistency. Wide ones, and those across a border of eight bytes, count as writing whatever they find.
void SetAccess(ExploredEvent& event, uint32_t slot, Kind kind, const sched::NextOp& op, bool performed) {
  AtomicDetail detail = AtomicDetail::Unpack(op.detail);
  SetMemory(event, detail.bytes, op.before);
  SetAwait(&event, g_slots[slot], performed);
  if (event.await_bits != 0 || kind == Kind::AtomicLoad || kind == Kind::AtomicStore) return;
  bool across = (op.address & 7U) + detail.bytes > 8;
  if (across) {
    event.flags = wire::kWrites;
  } else if (kind == Kind::AtomicCas) {
    SetCondition(event, wire::Condition::kEqual, op.arg);
  } else if (!SetCommutes(event, detail.how, op)) {
    SetRmw(event, detail.how, op.arg);
  }
}

void SetLock(ExploredEvent& event, const sched::NextOp& op, bool performed) {
  LockDetail detail = LockDetail::Unpack(op.detail);
  bool waits = detail.manner == Manner::Block;
  if (detail.shared) event.flags |= wire::kShared;
  if (!waits || (performed && !op.writes)) SetCondition(event, wire::Condition::kFree);
  if (performed && !op.writes) return;  // an attempt that failed
  event.role = waits || performed ? Role::kLock : Role::kAccess;
  if (waits) event.flags |= wire::kWaits;
}

void SetSemaphore(ExploredEvent& event, const sched::NextOp& op, bool performed) {
  int value = 0;
  sem_getvalue(reinterpret_cast<sem_t*>(op.address), &value);  // NOLINT: the program's semaphore
  bool post = static_cast<Kind>(op.operation) == Kind::SemPost;
  if (performed && op.writes) value += post ? -1 : 1;
  event.value = static_cast<uint32_t>(value < 0 ? 0 : value);
  if (!post && (!op.waits || !op.writes)) SetCondition(event, wire::Condition::kAvailable);
  if (!op.writes) return;
  event.role = post ? Role::kPost : Role::kSemTake;
  if (!post && op.waits) event.flags |= wire::kWaits;
}

// Once routines and guards are locks that are open for good when the work is done.
void SetOnce(ExploredEvent& event, uint32_t slot, const sched::NextOp& op, bool performed) {
  if (!op.waits) {
    event.role = Role::kUnlock;
    return;
  }
  event.role = Role::kLock;
  event.flags |= wire::kWaits;
  const Point& point = g_slots[slot]->point;
  if (!performed || !point.ready(point.context)) return;
  event.flags = wire::kWaits | wire::kNoHold;
  SetCondition(event, wire::Condition::kFirst);
}

void SetAfter(ExploredEvent& event, uint64_t key, bool waits) {
  event.object = key;
  event.flags = waits ? wire::kWaits : 0;
  if (waits) event.role = Role::kAfter;
}

void SetWake(ExploredEvent& event, const sched::NextOp& op) {
  event.flags |= wire::kWaits;
  if (op.detail == kNeedsOnlyMutex) {
    event.role = Role::kLock;
    event.object = op.arg;
    return;
  }
  event.role = Role::kWake;
  event.second = op.arg;
}

void SetOwn(ExploredEvent& event, uint32_t slot, const sched::NextOp& op, bool performed) {
  switch (op.operation) {
    case sched::kCall:
      SetDescriptors(event, op);
      break;
    case sched::kFutexSleep:
      SetMemory(event, 4, op.before);
      SetCondition(event, wire::Condition::kEqual, op.arg);
      if (op.writes) event.role = Role::kSleepBegins;
      break;
    case sched::kCancel:
    case sched::kCancelled:
      event.flags |= wire::kGlobal;
      break;
    case sched::kStopWait:
      event.role = Role::kWake;
      event.flags |= wire::kWaits | wire::kTimed;
      break;
    case sched::kWantWrite:
      event.role = Role::kWants;
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
      SetMemory(event, op.detail, op.before);
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
  event.flags = stores ? wire::kWrites : kind == Kind::AtomicLoad ? 0 : wire::kMayWrite;
  event.value = performed ? c11.choice : wire::kAnyValue;
  SetAwait(&event, g_slots[slot], performed);
  if (!performed && event.await_bits != 0) {  // whether it stores is seen when it is performed
    event.role = Role::kRead;
    event.flags = kind == Kind::AtomicLoad ? 0 : wire::kMayWrite;
  }
  if (!performed) return;
  event.before = c11.written;
  event.own = c11.own;
  event.rank = static_cast<uint16_t>(c11.rank);
  event.options = static_cast<uint16_t>(c11.options);
}

ExploredEvent Describe(uint32_t slot, const sched::NextOp& op, bool performed, uint32_t forked) {
  ExploredEvent event;  // the only one that is returned, so that it is made where the caller wants it
  event.thread = static_cast<uint16_t>(slot);
  event.operation = op.operation;
  event.pc = op.pc;
  event.object = op.address;
  event.flags = op.writes ? wire::kWrites : 0;
  if (op.operation >= sched::kFirstOwn) {
    SetOwn(event, slot, op, performed);
    return event;
  }
  auto kind = static_cast<Kind>(op.operation);
  if (C11() && g_slots[slot]->c11.prepared && IsC11Kind(kind)) {
    SetAtomic(event, slot, kind, op, performed);
    return event;
  }
  switch (kind) {
    case Kind::AtomicLoad:
    case Kind::AtomicStore:
    case Kind::AtomicRmw:
    case Kind::AtomicCas:
      SetAccess(event, slot, kind, op, performed);
      break;
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
      SetWake(event, op);
      break;
    case Kind::FutexWait:
      SetMemory(event, 4, performed ? WordAt(op.address) : 0);
      event.role = Role::kWake;
      event.flags |= op.timed ? 0 : wire::kWaits;
      break;
    case Kind::CondSignal:
    case Kind::CondBroadcast:
    case Kind::FutexWake:
      if (kind == Kind::FutexWake) SetMemory(event, 4, performed ? WordAt(op.address) : 0);
      event.role = Role::kSignal;
      event.value = kind == Kind::CondSignal  ? 1
                    : kind == Kind::FutexWake ? static_cast<uint32_t>(op.arg)
                                              : wire::kBroadcast;
      break;
    case Kind::BarrierEnter:
      event.second = RoundKey(op.address, op.arg);
      if (op.unused && LeavesOrdersOpen() && !C11()) event.commutes = wire::Commutes::kArrives;
      break;
    case Kind::BarrierExit:
      SetAfter(event, RoundKey(op.address, op.arg), true);
      break;
    case Kind::ThreadFork:
      event.object = forked == sched::kNoSlot ? 0 : wire::ThreadKey(forked);
      break;
    case Kind::ThreadBegin:
      SetAfter(event, wire::ThreadKey(slot), true);
      break;
    case Kind::ThreadEnd:
      event.object = wire::ThreadKey(slot);
      break;
    case Kind::ThreadJoin:
      SetAfter(event, KeyOfNumber(op.arg), op.waits);
      break;
    case Kind::ProcessExit:
    case Kind::ProcessFork:
      event.flags |= wire::kGlobal;
      break;
    case Kind::FdRead:
    case Kind::FdWrite:
    case Kind::FdClose:
      SetDescriptors(event, op);
      // What is printed is read by nobody here.
      if (kind == Kind::FdWrite && (op.address == 1 || op.address == 2)) event.object = DescriptorKey(op.address);
      break;
    default:
      break;
  }
  return event;
}

}  // namespace

ExploredEvent EventOf(uint32_t slot, const sched::NextOp& op, bool performed, uint32_t forked) {
  ExploredEvent event = Describe(slot, op, performed, forked);
  // What main does behind the end of all threads cannot come before anything else.
  if (g_slots[slot]->ends_process) event.flags |= wire::kGlobal | wire::kWaits;
  return event;
}

}  // namespace heddle::rt::control
