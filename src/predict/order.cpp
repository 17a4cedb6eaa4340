#include "predict/order.h"

namespace heddle::predict {
namespace {

using trace::Event;
using trace::Kind;
using trace::Order;

// Descriptors of one pipe have two numbers, and the trace does not pair them: all descriptors are one object.
constexpr uint64_t kDescriptors = 1;

bool Releases(uint8_t order) {
  return order == static_cast<uint8_t>(Order::Release) || order >= static_cast<uint8_t>(Order::AcqRel);
}
bool Acquires(uint8_t order) {
  return order == static_cast<uint8_t>(Order::Acquire) || order == static_cast<uint8_t>(Order::Consume) ||
         order >= static_cast<uint8_t>(Order::AcqRel);
}

}  // namespace

TraceOrder::ThreadState& TraceOrder::Thread(uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  ThreadState& state = threads_[thread];
  if (state.now.must.Get(thread) == 0) {
    state.now.must.Set(thread, 1);
    state.now.run.Set(thread, 1);
  }
  return state;
}

// After every release the thread's own component moves on, so that what follows is not taken as released.
void TraceOrder::Release(uint32_t thread, uint64_t object) {
  ThreadState& state = Thread(thread);
  objects_[object].Join(state.now);
  state.now.must.Tick(thread);
  state.now.run.Tick(thread);
}

void TraceOrder::Acquire(uint32_t thread, uint64_t object) {
  auto found = objects_.find(object);
  if (found != objects_.end()) Thread(thread).now.Join(found->second);
}

void TraceOrder::TakeLock(uint32_t thread, uint64_t lock) {
  auto found = locks_.find(lock);
  if (found == locks_.end()) return;
  ThreadState& state = Thread(thread);
  for (uint32_t other = 0; other < found->second.size(); ++other) {
    if (found->second.Get(other) > state.now.run.Get(other)) state.via_lock[other] = lock;
  }
  state.now.run.Join(found->second);
}

void TraceOrder::DropLock(uint32_t thread, uint64_t lock) {
  ThreadState& state = Thread(thread);
  locks_[lock].Join(state.now.run);
  state.now.run.Tick(thread);
}

uint64_t TraceOrder::LockBetween(uint32_t earlier, uint32_t later) const {
  if (later >= threads_.size()) return 0;
  auto found = threads_[later].via_lock.find(earlier);
  return found == threads_[later].via_lock.end() ? 0 : found->second;
}

// A store starts a new release sequence (or ends all, when it is relaxed and no release fence came before); a
// read-modify-write continues the one it read from.
void TraceOrder::AtomicStore(const Event& event, bool continues) {
  ThreadState& state = Thread(event.thread);
  Clocks& object = objects_[event.address];
  if (!continues) object = Clocks{};
  if (Releases(event.order)) {
    object.Join(state.now);
    state.now.must.Tick(event.thread);
    state.now.run.Tick(event.thread);
  } else if (state.has_release_fence) {
    object.Join(state.released);
  }
}

void TraceOrder::AtomicLoad(const Event& event) {
  auto found = objects_.find(event.address);
  if (found == objects_.end()) return;
  ThreadState& state = Thread(event.thread);
  if (Acquires(event.order)) {
    state.now.Join(found->second);
  } else {
    state.pending.Join(found->second);
  }
}

void TraceOrder::Atomic(const Event& event) {
  switch (event.kind) {
    case Kind::AtomicLoad:
      return AtomicLoad(event);
    case Kind::AtomicStore:
      return AtomicStore(event, false);
    case Kind::AtomicRmw:
      break;
    case Kind::AtomicCas:
      if (event.result == 0) return AtomicLoad(event);
      break;
    default:
      return;
  }
  AtomicLoad(event);
  AtomicStore(event, true);
}

void TraceOrder::Fence(const Event& event) {
  ThreadState& state = Thread(event.thread);
  if (Acquires(event.order)) state.now.Join(state.pending);
  if (Releases(event.order)) {
    state.released = state.now;
    state.has_release_fence = true;
    state.now.must.Tick(event.thread);
    state.now.run.Tick(event.thread);
  }
}

void TraceOrder::Threads(const Event& event) {
  auto other = static_cast<uint32_t>(event.arg);
  switch (event.kind) {
    case Kind::ThreadFork: {
      Thread(other);
      ThreadState& parent = Thread(event.thread);  // after the line above, which may move the vector
      threads_[other].now.Join(parent.now);
      parent.now.must.Tick(event.thread);
      parent.now.run.Tick(event.thread);
      return;
    }
    case Kind::ThreadEnd:
      ended_[event.thread] = Thread(event.thread).now;
      return;
    case Kind::ThreadJoin: {
      auto found = ended_.find(other);
      if (event.Succeeded() && found != ended_.end()) Thread(event.thread).now.Join(found->second);
      return;
    }
    default:
      return;
  }
}

void TraceOrder::Condition(const Event& event) {
  if (event.kind == Kind::CondWait) return DropLock(event.thread, event.arg);
  if (event.kind == Kind::CondWake) {
    TakeLock(event.thread, event.arg);
    auto found = signals_.find(event.arg2);
    if (found != signals_.end()) Thread(event.thread).now.Join(found->second);
    return;
  }
  ThreadState& state = Thread(event.thread);
  signals_[event.sequence] = state.now;
  state.now.must.Tick(event.thread);
  state.now.run.Tick(event.thread);
}

void TraceOrder::Add(const Event& event) {
  switch (event.kind) {
    case Kind::ThreadFork:
    case Kind::ThreadEnd:
    case Kind::ThreadJoin:
      return Threads(event);
    case Kind::Lock:
      if (event.Succeeded()) TakeLock(event.thread, event.address);
      return;
    case Kind::Unlock:
      if (event.Succeeded()) DropLock(event.thread, event.address);
      return;
    case Kind::CondSignal:
    case Kind::CondBroadcast:
    case Kind::CondWait:
    case Kind::CondWake:
      return Condition(event);
    case Kind::BarrierEnter:
    case Kind::SemPost:
    case Kind::OnceEnd:
    case Kind::FutexWake:
    case Kind::Release:
      return Release(event.thread, event.address);
    case Kind::BarrierExit:
    case Kind::OncePass:
    case Kind::OnceBegin:
    case Kind::FutexWait:
    case Kind::Acquire:
      return Acquire(event.thread, event.address);
    case Kind::SemWait:
      if (event.Succeeded()) Acquire(event.thread, event.address);
      return;
    case Kind::FdWrite:
    case Kind::FdClose:
      return Release(event.thread, kDescriptors);
    case Kind::FdRead:
    case Kind::FdOpen:
      return Acquire(event.thread, kDescriptors);
    case Kind::Fence:
      return Fence(event);
    case Kind::Alloc:
    case Kind::Free:
      objects_.erase(event.address);
      return;
    default:
      break;
  }
  if (trace::IsAtomic(event.kind)) Atomic(event);
}

}  // namespace heddle::predict
