#include "explore/wait_queue.h"

#include <algorithm>

namespace heddle::explore {

using wire::Role;

void WaitQueue::Perform(const ExploredEvent& event, uint64_t object) {
  if (event.object != object) return;
  if (event.role == Role::kSleepBegins) waiters_.push_back({event.thread, ++sequence_, false});
  if (event.role == Role::kSignal) Signal(event.value);
  if (event.role == Role::kWake) Leave(event.thread);
}

size_t WaitQueue::TokenFor(const Waiter& waiter) const {
  size_t i = 0;
  while (i < tokens_.size() && tokens_[i] < waiter.since) ++i;
  return i;
}

bool WaitQueue::CanWake(uint32_t thread) const {
  return std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) {
    return waiter.thread == thread && (waiter.woken || TokenFor(waiter) < tokens_.size());
  });
}

void WaitQueue::Signal(uint32_t count) {
  auto unwoken = std::count_if(waiters_.begin(), waiters_.end(), [](const Waiter& waiter) { return !waiter.woken; });
  size_t unserved = static_cast<size_t>(unwoken) > tokens_.size() ? static_cast<size_t>(unwoken) - tokens_.size() : 0;
  if (unserved == 0 && count != wire::kBroadcast) return;
  if (count >= unserved) {
    for (Waiter& waiter : waiters_) waiter.woken = true;
    tokens_.clear();
    return;
  }
  for (uint32_t i = 0; i < count; ++i) tokens_.push_back(++sequence_);
}

void WaitQueue::Leave(uint32_t thread) {
  auto at = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& w) { return w.thread == thread; });
  if (at == waiters_.end()) return;
  size_t token = TokenFor(*at);
  if (!at->woken && token < tokens_.size()) tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(token));
  waiters_.erase(at);
  while (tokens_.size() > waiters_.size()) tokens_.pop_back();
}

}  // namespace heddle::explore
