#include "analysis/deadlock/deadlock_match.h"

#include <algorithm>

#include "detect/names.h"

namespace heddle::analysis {
namespace {

// `limit`: the first line is among so many of the stack's own frames.
bool GoesThrough(const Stack& stack, const Place& place, size_t limit) {
  if (place.empty()) return false;
  size_t frame = 0;
  size_t calls = 0;
  for (const Frame& at : stack) {
    if (IsLibraryFrame(at)) continue;
    if (frame == 0 && calls++ == limit) return false;
    if (at.line == place[frame].line && symbolize::SamePath(at.file, place[frame].file)) ++frame;
    if (frame == place.size()) return true;
  }
  return false;
}

StuckThread::For WaitsForWhat(wire::WaitKind what) {
  if (what == wire::WaitKind::kJoin) return StuckThread::For::kThread;
  if (what == wire::WaitKind::kOnce) return StuckThread::For::kOnce;
  return what == wire::WaitKind::kCond ? StuckThread::For::kCondition : StuckThread::For::kLock;
}

// Follows the waits from thread to thread, each at an edge of the plan.
class CycleMatch {
 public:
  CycleMatch(const Plan& plan, const StuckThreads& stuck)
      : plan_(plan), stuck_(stuck), used_edges_(plan.edges.size()), used_threads_(stuck.threads.size()) {}

  bool Find() {
    for (start_ = 0; start_ < stuck_.threads.size(); ++start_) {
      for (start_edge_ = 0; start_edge_ < plan_.edges.size(); ++start_edge_) {
        if (AtPlace(stuck_.threads[start_].stack, plan_.edges[start_edge_].waits.lines) && Go(start_, start_edge_, 1)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  // `thread` waits at `edge`. Whether the cycle can be closed from there, with `length` threads so far.
  bool Go(size_t thread, size_t edge, size_t length) {
    used_edges_[edge] = true;
    used_threads_[thread] = true;
    bool found = Closes(thread, length);
    for (size_t next = 0; !found && next < stuck_.threads.size(); ++next) {
      for (size_t to = 0; !found && !used_threads_[next] && to < plan_.edges.size(); ++to) {
        bool free = plan_.shape == Plan::Shape::kAny || !used_edges_[to];
        found = free && WaitsFor(thread, next, to) &&
                AtPlace(stuck_.threads[next].stack, plan_.edges[to].waits.lines) && Go(next, to, length + 1);
      }
    }
    used_edges_[edge] = false;
    used_threads_[thread] = false;
    return found;
  }

  bool Closes(size_t thread, size_t length) const {
    return (plan_.shape == Plan::Shape::kAny || length == plan_.edges.size()) && WaitsFor(thread, start_, start_edge_);
  }

  // Whether what `thread` waits for is what `other` has at the edge.
  bool WaitsFor(size_t thread, size_t other, size_t edge) const {
    const StuckThread& waiter = stuck_.threads[thread];
    const StuckThread& holder = stuck_.threads[other];
    const PlannedEdge& at = plan_.edges[edge];
    if (waiter.waits_for == StuckThread::For::kThread) return at.from_start && waiter.object == holder.number;
    if (at.from_start) return false;
    // Who runs a once-routine is in the call still.
    if (waiter.waits_for == StuckThread::For::kOnce) return GoesThrough(holder.stack, at.held.lines, SIZE_MAX);
    // A wait on a condition has given its lock to the other one, who cannot come to signal.
    bool any_lock = waiter.waits_for == StuckThread::For::kCondition;
    return std::any_of(holder.holds.begin(), holder.holds.end(), [&](const StuckThread::Lock& lock) {
      return (any_lock || lock.lock == waiter.object) && AtPlace(lock.stack, at.held.lines);
    });
  }

  const Plan& plan_;
  const StuckThreads& stuck_;
  std::vector<bool> used_edges_, used_threads_;
  size_t start_ = 0, start_edge_ = 0;
};

bool WaitsForLeft(const Plan& plan, const StuckThreads& stuck) {
  return std::any_of(stuck.threads.begin(), stuck.threads.end(), [&](const StuckThread& thread) {
    bool left = std::find(stuck.left.begin(), stuck.left.end(), thread.object) != stuck.left.end();
    return thread.waits_for == StuckThread::For::kLock && left && AtPlace(thread.stack, plan.edges[0].waits.lines);
  });
}

}  // namespace

std::vector<StuckThreads> StuckIn(const detect::FindingsFile& file) {
  std::vector<StuckThreads> all;
  if (file.deadlocks.empty()) return all;
  detect::Names names(file);
  for (const detect::Deadlock& deadlock : file.deadlocks) {
    StuckThreads stuck;
    for (const detect::Waiter& waiter : deadlock.waiters) {
      StuckThread thread{waiter.thread, WaitsForWhat(waiter.what), waiter.object, names.StackOf(waiter.stack), {}};
      for (const detect::Held& held : waiter.holds) thread.holds.push_back({held.lock, names.StackOf(held.stack)});
      stuck.threads.push_back(std::move(thread));
    }
    for (const detect::Misuse& misuse : file.misuses) {
      if (misuse.what == WordOf(wire::Misuse::kExitLocked)) stuck.left.push_back(misuse.object);
    }
    all.push_back(std::move(stuck));
  }
  return all;
}

bool AtPlace(const Stack& stack, const Place& place) { return GoesThrough(stack, place, wire::kSteerDepth); }

bool Meets(const Plan& plan, const StuckThreads& stuck) {
  if (plan.edges.empty()) return false;
  if (plan.shape == Plan::Shape::kLeft) return WaitsForLeft(plan, stuck);
  return CycleMatch(plan, stuck).Find();
}

}  // namespace heddle::analysis
