#include "runtime/record/cond_match.h"

#include "runtime/spin.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kBuckets = 256;
struct Bucket {
  SpinLock lock;
  CondWaiter* first = nullptr;  // oldest first
};
constinit Bucket g_buckets[kBuckets];

Bucket& BucketOf(uint64_t cond) { return g_buckets[((cond >> 3U) * 0x9E3779B97F4A7C15ULL) >> 56U]; }

void Unlink(Bucket& bucket, CondWaiter* waiter) {
  for (CondWaiter** at = &bucket.first; *at != nullptr; at = &(*at)->next) {
    if (*at == waiter) {
      *at = waiter->next;
      return;
    }
  }
}

}  // namespace

void CondWaitStarts(Thread* thread, uint64_t cond, uint64_t sequence) {
  Bucket& bucket = BucketOf(cond);
  SpinHolder hold(bucket.lock);
  thread->waiter = CondWaiter{cond, sequence, 0, nullptr};
  CondWaiter** at = &bucket.first;
  while (*at != nullptr) at = &(*at)->next;
  *at = &thread->waiter;
}

void CondSignalled(uint64_t cond, uint64_t sequence, bool all) {
  Bucket& bucket = BucketOf(cond);
  SpinHolder hold(bucket.lock);
  for (CondWaiter* waiter = bucket.first; waiter != nullptr; waiter = waiter->next) {
    if (waiter->cond != cond || waiter->signal_sequence != 0 || waiter->wait_sequence > sequence) continue;
    waiter->signal_sequence = sequence;
    if (!all) return;
  }
}

uint64_t CondWaitEnds(Thread* thread, bool timed_out) {
  CondWaiter* mine = &thread->waiter;
  if (mine->cond == 0) return 0;
  Bucket& bucket = BucketOf(mine->cond);
  SpinHolder hold(bucket.lock);
  Unlink(bucket, mine);
  uint64_t mark = mine->signal_sequence;
  for (CondWaiter* other = bucket.first; other != nullptr; other = other->next) {
    if (other->cond != mine->cond) continue;
    if (timed_out && mark != 0 && other->signal_sequence == 0 && other->wait_sequence < mark) {
      other->signal_sequence = mark;
      mark = 0;
      break;
    }
    if (!timed_out && mark == 0 && other->signal_sequence > mine->wait_sequence) {
      mark = other->signal_sequence;
      other->signal_sequence = 0;
      break;
    }
  }
  mine->cond = 0;
  return timed_out ? 0 : mark;
}

void LockCondMatching() {
  for (Bucket& bucket : g_buckets) bucket.lock.Lock();
}
void UnlockCondMatching() {
  for (Bucket& bucket : g_buckets) bucket.lock.Unlock();
}

}  // namespace heddle::rt
