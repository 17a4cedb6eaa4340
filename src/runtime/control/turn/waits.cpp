#include "runtime/control/turn/waits.h"

#include "runtime/control/turn/scheduler.h"
#include "runtime/memory/pages.h"

namespace heddle::rt::control {

// Tokens are the places of signals in the order of all waits and signals; oldest first.
constexpr uint32_t kMaxTokens = 64;
struct WaitObject {
  uint64_t address;
  WaitObject* next;
  uint32_t waiters;
  uint32_t token_count;
  uint64_t tokens[kMaxTokens];
  uint32_t barrier_count;
  uint32_t barrier_arrived;
  uint64_t barrier_round;
};

namespace {

constexpr uint32_t kBuckets = 1024;
WaitObject* g_buckets[kBuckets];
WaitObject* g_unused = nullptr;
uint64_t g_sequence = 0;

WaitObject** BucketOf(uint64_t address) { return &g_buckets[(address * 0x9E3779B97F4A7C15ULL) >> 54U]; }

WaitObject* Find(uint64_t address) {
  for (WaitObject* object = *BucketOf(address); object != nullptr; object = object->next) {
    if (object->address == address) return object;
  }
  return nullptr;
}

WaitObject* NewObject() {
  if (g_unused == nullptr) {
    constexpr size_t kPages = size_t{1} << 16U;
    auto* fresh = static_cast<WaitObject*>(MapPages(kPages));
    for (size_t i = 0; fresh != nullptr && i < kPages / sizeof(WaitObject); ++i) {
      fresh[i].next = g_unused;
      g_unused = &fresh[i];
    }
  }
  WaitObject* object = g_unused;
  if (object != nullptr) g_unused = object->next;
  return object;
}

WaitObject* FindOrMake(uint64_t address) {
  WaitObject* object = Find(address);
  if (object != nullptr) return object;
  object = NewObject();
  if (object == nullptr) return nullptr;
  WaitObject** bucket = BucketOf(address);
  *object = WaitObject{};
  object->address = address;
  object->next = *bucket;
  *bucket = object;
  return object;
}

void ForgetIfIdle(WaitObject* object) {
  if (object->waiters != 0 || object->barrier_count != 0) return;
  WaitObject** at = BucketOf(object->address);
  while (*at != object) at = &(*at)->next;
  *at = object->next;
  object->next = g_unused;
  g_unused = object;
}

// The oldest token that is younger than the wait; token_count when there is none. An older waiter, which could take
// more of them, leaves the younger ones this way to those who need them.
uint32_t TokenFor(const WaitObject* object, uint64_t wait_sequence) {
  uint32_t i = 0;
  while (i < object->token_count && object->tokens[i] < wait_sequence) ++i;
  return i;
}

void DropToken(WaitObject* object, uint32_t index) {
  for (uint32_t i = index + 1; i < object->token_count; ++i) object->tokens[i - 1] = object->tokens[i];
  --object->token_count;
}

uint32_t Unserved(const WaitObject* object) {
  uint32_t waiting = 0;
  ForEachLive([&](const ControlThread* thread) {
    if (thread->waits_at == object && !thread->woken) ++waiting;
  });
  return waiting > object->token_count ? waiting - object->token_count : 0;
}

}  // namespace

void StartWaiting(uint64_t address) {
  ControlThread* self = Self();
  WaitObject* object = FindOrMake(address);
  if (self == nullptr || object == nullptr) return;
  ++object->waiters;
  self->waits_at = object;
  self->wait_sequence = ++g_sequence;
  self->woken = false;
}

bool CanStopWaiting(const ControlThread* thread) {
  const WaitObject* object = thread->waits_at;
  return object == nullptr || thread->woken || TokenFor(object, thread->wait_sequence) < object->token_count;
}

bool StopWaiting() {
  ControlThread* self = Self();
  WaitObject* object = self == nullptr ? nullptr : self->waits_at;
  if (object == nullptr) return true;
  bool woken = self->woken;
  if (!woken) {
    uint32_t token = TokenFor(object, self->wait_sequence);
    woken = token < object->token_count;
    if (woken) DropToken(object, token);
  }
  self->waits_at = nullptr;
  self->woken = false;
  --object->waiters;
  // Who leaves without a token may leave more tokens than waiters.
  while (object->token_count > object->waiters) DropToken(object, object->token_count - 1);
  ForgetIfIdle(object);
  return woken;
}

uint32_t WakeSome(uint64_t address, uint32_t count) {
  WaitObject* object = Find(address);
  if (object == nullptr || object->waiters == 0) return 0;
  uint32_t unserved = Unserved(object);
  if (count >= unserved && unserved > 0) {
    WakeAll(address);
    return unserved;
  }
  uint32_t woken = 0;
  while (woken < count && woken < unserved && object->token_count < kMaxTokens) {
    object->tokens[object->token_count++] = ++g_sequence;
    ++woken;
  }
  if (woken > 0) Wake(address);
  return woken;
}

uint32_t WakeAll(uint64_t address) {
  WaitObject* object = Find(address);
  if (object == nullptr) return 0;
  uint32_t woken = 0;
  ForEachLive([&](ControlThread* thread) {
    if (thread->waits_at != object || thread->woken) return;
    thread->woken = true;
    ++woken;
  });
  object->token_count = 0;
  if (woken > 0) Wake(address);
  return woken;
}

void MakeBarrier(uint64_t address, uint32_t count) {
  WaitObject* object = FindOrMake(address);
  if (object == nullptr) return;
  object->barrier_count = count;
  object->barrier_arrived = 0;
}

void ForgetBarrier(uint64_t address) {
  WaitObject* object = Find(address);
  if (object == nullptr) return;
  object->barrier_count = 0;
  ForgetIfIdle(object);
}

bool IsBarrier(uint64_t address) {
  const WaitObject* object = Find(address);
  return object != nullptr && object->barrier_count != 0;
}

Arrival ArriveAtBarrier(uint64_t address) {
  WaitObject* object = FindOrMake(address);
  if (object == nullptr) return {true, 0};
  uint64_t round = object->barrier_round;
  bool last = ++object->barrier_arrived >= object->barrier_count;
  if (last) {
    object->barrier_arrived = 0;
    ++object->barrier_round;
    Wake(address);
  }
  return {last, round};
}

bool BarrierOpen(uint64_t address, uint64_t round) {
  const WaitObject* object = Find(address);
  return object == nullptr || object->barrier_round != round;
}

}  // namespace heddle::rt::control
