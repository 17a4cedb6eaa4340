#include "predict/naive_order.h"

namespace heddle::predict {
namespace {

using trace::Event;
using trace::Kind;
using trace::Order;

bool Releases(const Event& e) { return e.order == 3 || e.order >= 4; }
bool Acquires(const Event& e) { return e.order == 1 || e.order == 2 || e.order >= 4; }
bool Stores(const Event& e) {
  return e.kind == Kind::AtomicStore || e.kind == Kind::AtomicRmw || (e.kind == Kind::AtomicCas && e.result != 0);
}
bool Loads(const Event& e) {
  return e.kind == Kind::AtomicLoad || e.kind == Kind::AtomicRmw || e.kind == Kind::AtomicCas;
}
bool ContinuesSequence(const Event& e) { return Stores(e) && e.kind != Kind::AtomicStore; }

// Release-like and acquire-like operations on objects, where every earlier one is ordered before every later one.
bool Gives(const Event& e) {
  return e.kind == Kind::BarrierEnter || e.kind == Kind::SemPost || e.kind == Kind::OnceEnd || e.kind == Kind::Release;
}
bool Takes(const Event& e) {
  return e.kind == Kind::BarrierExit || (e.kind == Kind::SemWait && e.Succeeded()) || e.kind == Kind::OncePass ||
         e.kind == Kind::Acquire;
}
uint64_t Unlocked(const Event& e) {
  if (e.kind == Kind::Unlock) return e.address;
  return e.kind == Kind::CondWait ? e.arg : 0;
}
uint64_t Locked(const Event& e) {
  if (e.kind == Kind::Lock && e.Succeeded()) return e.address;
  return e.kind == Kind::CondWake ? e.arg : 0;
}

class Builder {
 public:
  Builder(const std::vector<Event>& events, bool with_locks)
      : events_(events), with_locks_(with_locks), reach_(events.size()) {}

  Reach Build() {
    for (size_t later = 0; later < events_.size(); ++later) {
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (Direct(earlier, later)) Edge(earlier, later);
      }
      if (Loads(events_[later])) ReadsFrom(later);
      if (events_[later].kind == Kind::Fence && Acquires(events_[later])) AcquireFence(later);
    }
    return reach_;
  }

 private:
  void Edge(size_t earlier, size_t later) {
    reach_[later] |= reach_[earlier];
    reach_[later].set(earlier);
  }

  bool Direct(size_t i, size_t j) const {
    const Event& a = events_[i];
    const Event& b = events_[j];
    if (a.thread == b.thread) return true;
    if (a.kind == Kind::ThreadFork && a.arg == b.thread) return true;
    if (a.kind == Kind::ThreadEnd && b.kind == Kind::ThreadJoin && b.arg == a.thread) return true;
    if (b.kind == Kind::CondWake && b.arg2 != 0 && a.sequence == b.arg2) return true;
    if (Gives(a) && Takes(b) && a.address == b.address) return true;
    return with_locks_ && Unlocked(a) != 0 && Unlocked(a) == Locked(b);
  }

  // What a load of the value at `load` gets: for each member of the release sequence it reads from, the store itself
  // when it releases, else the last release fence before it in its thread.
  std::vector<size_t> Sources(size_t load) const {
    std::vector<size_t> sources;
    for (size_t i = load; i-- > 0;) {
      const Event& e = events_[i];
      if (!Stores(e) || e.address != events_[load].address) continue;
      if (Releases(e)) {
        sources.push_back(i);
      } else {
        for (size_t f = i; f-- > 0;) {
          if (events_[f].thread == e.thread && events_[f].kind == Kind::Fence && Releases(events_[f])) {
            sources.push_back(f);
            break;
          }
        }
      }
      if (!ContinuesSequence(e)) break;
    }
    return sources;
  }

  void ReadsFrom(size_t load) {
    if (!Acquires(events_[load])) return;
    for (size_t source : Sources(load)) Edge(source, load);
  }

  void AcquireFence(size_t fence) {
    for (size_t i = 0; i < fence; ++i) {
      if (events_[i].thread != events_[fence].thread || !Loads(events_[i]) || Acquires(events_[i])) continue;
      for (size_t source : Sources(i)) Edge(source, fence);
    }
  }

  const std::vector<Event>& events_;
  bool with_locks_;
  Reach reach_;
};

}  // namespace

Reach NaiveOrder(const std::vector<Event>& events, bool with_locks) { return Builder(events, with_locks).Build(); }

}  // namespace heddle::predict
