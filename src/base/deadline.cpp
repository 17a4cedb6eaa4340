#include "base/deadline.h"

#include <algorithm>
#include <atomic>

namespace heddle {
namespace {

std::atomic<bool> g_stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void AskToStop() { g_stop.store(true, std::memory_order_relaxed); }
void ForgetToStop() { g_stop.store(false, std::memory_order_relaxed); }
bool StopAsked() { return g_stop.load(std::memory_order_relaxed); }

Deadline Deadline::After(double seconds) { return Deadline().Within(seconds); }

bool Deadline::Passed() const {
  if (StopAsked()) return true;
  return at_ != Clock::time_point::max() && Clock::now() >= at_;
}

double Deadline::Left(double most) const {
  if (StopAsked()) return 0;
  if (at_ == Clock::time_point::max()) return most;
  double left = std::chrono::duration<double>(at_ - Clock::now()).count();
  return std::clamp(left, 0.0, std::max(most, 0.0));
}

Deadline Deadline::Within(double seconds) const {
  constexpr double kLongest = 1e9;  // more does not fit into the clock
  Deadline result;
  auto span = std::chrono::duration<double>(std::clamp(seconds, 0.0, kLongest));
  result.at_ = std::min(at_, Clock::now() + std::chrono::duration_cast<Clock::duration>(span));
  return result;
}

}  // namespace heddle
