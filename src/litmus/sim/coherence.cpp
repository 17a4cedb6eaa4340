#include "litmus/sim/coherence.h"

#include <algorithm>

// Total orders are built from the front: a write may come next when all writes that must precede it are there. Which
// must is known from the shapes of incoherence (CoWW, CoRW, CoWR, CoRR), given reads-from. The write of a
// read-modify-write must follow what it read, with no write of another thread in between. Partial orders are built pair
// by pair: before, after or unordered, and kept when they are transitive.
namespace heddle::litmus {

void CoherenceOrders::Begin(Execution& execution, bool coherent, bool partial) {
  execution_ = &execution;
  coherent_ = coherent;
  partial_ = partial;
  impossible_ = false;
  locations_.clear();
  const auto& events = execution.events();
  std::vector<int> index(execution.test().cells.size(), -1);
  for (size_t e = 0; e < events.size(); ++e) {
    if (!events[e].writes) continue;
    int& at = index[static_cast<size_t>(execution.physical(static_cast<int>(e)))];
    if (at < 0) {
      at = static_cast<int>(locations_.size());
      locations_.emplace_back();
    }
    Location& location = locations_[static_cast<size_t>(at)];
    if (events[e].thread < 0) {
      location.init = static_cast<int>(e);
    } else {
      location.writes.push_back(static_cast<int>(e));
    }
  }
  std::fill_n(execution.co(), execution.shape().RelWords(), 0);
  for (Location& location : locations_) Force(location);
}

void CoherenceOrders::Force(Location& location) {
  size_t count = location.writes.size();
  location.before.assign(count, std::vector<bool>(count, false));
  location.source.assign(count, -2);
  const auto& events = execution_->events();
  auto at = [&](int event) {
    auto found = std::find(location.writes.begin(), location.writes.end(), event);
    return found == location.writes.end() ? -1 : static_cast<int>(found - location.writes.begin());
  };
  // What each read-modify-write read.
  for (size_t t = 0; t < execution_->traces().size(); ++t) {
    for (const auto& [read, write] : execution_->traces()[t]->rmw) {
      int w = at(execution_->first_of(t) + write);
      // Of accesses in parts, each part of the write follows what the same part of the read read.
      bool same =
          execution_->physical(execution_->first_of(t) + read) == execution_->physical(execution_->first_of(t) + write);
      if (w >= 0 && same)
        location.source[static_cast<size_t>(w)] = at(execution_->source(execution_->first_of(t) + read));
    }
  }
  if (!coherent_) return;
  int cell = execution_->physical(location.init);
  auto force = [&](int a, int b) {  // events; the initial write is first anyway
    if (a == b) return;
    if (b == location.init) {
      impossible_ = true;
      return;
    }
    if (a == location.init) return;
    location.before[static_cast<size_t>(at(a))][static_cast<size_t>(at(b))] = true;
  };
  int end = execution_->shape().events;
  for (int a = 0; a < end; ++a) {
    if (execution_->physical(a) != cell || events[static_cast<size_t>(a)].thread < 0) continue;
    const Event& x = events[static_cast<size_t>(a)];
    if (x.reads && x.writes) force(execution_->source(a), a);
    for (int b = a + 1; b < end; ++b) {
      if (execution_->physical(b) != cell || events[static_cast<size_t>(b)].thread != x.thread) continue;
      const Event& y = events[static_cast<size_t>(b)];
      if (x.writes && y.writes) force(a, b);
      if (x.reads && y.writes) force(execution_->source(a), b);
      if (x.writes && y.reads) force(a, execution_->source(b));
      if (x.reads && y.reads) force(execution_->source(a), execution_->source(b));
    }
  }
}

void CoherenceOrders::Clear(const Location& location) {
  Shape shape = execution_->shape();
  Word* co = execution_->co();
  std::fill_n(Row(co, shape, location.init), shape.words, 0);
  for (int write : location.writes) {
    std::fill_n(Row(co, shape, write), shape.words, 0);
    Put(co, shape, location.init, write);
  }
}

void CoherenceOrders::ForEach(size_t index, const std::function<bool()>& next) {
  Location& location = locations_[index];
  Clear(location);
  if (partial_) {
    Partial(location, 0, next);
    return;
  }
  std::vector<int> order;
  std::vector<bool> used(location.writes.size(), false);
  Extend(location, order, used, next);
}

// Whether `next` may come after `order`: nothing of another thread between it and what its read half read.
bool CoherenceOrders::Atomic(const Location& location, const std::vector<int>& order, int next) const {
  int source = location.source[static_cast<size_t>(next)];
  if (source == -2) return true;
  const auto& events = execution_->events();
  int thread = events[static_cast<size_t>(location.writes[static_cast<size_t>(next)])].thread;
  bool after = source == -1;
  bool seen = after;
  for (int index : order) {
    if (after && events[static_cast<size_t>(location.writes[static_cast<size_t>(index)])].thread != thread)
      return false;
    if (index == source) after = seen = true;
  }
  return seen;
}

bool CoherenceOrders::Extend(Location& location, std::vector<int>& order, std::vector<bool>& used,
                             const std::function<bool()>& next) {
  size_t count = location.writes.size();
  if (order.size() == count) {
    Shape shape = execution_->shape();
    Word* co = execution_->co();
    for (size_t i = 0; i < count; ++i) {
      Word* row = Row(co, shape, location.writes[static_cast<size_t>(order[i])]);
      std::fill_n(row, shape.words, 0);
      for (size_t j = i + 1; j < count; ++j) Put(row, location.writes[static_cast<size_t>(order[j])]);
    }
    return next();
  }
  for (size_t i = 0; i < count; ++i) {
    if (used[i]) continue;
    bool ready = true;
    for (size_t j = 0; j < count && ready; ++j) ready = used[j] || !location.before[j][i] || i == j;
    if (!ready || !Atomic(location, order, static_cast<int>(i))) continue;
    used[i] = true;
    order.push_back(static_cast<int>(i));
    bool more = Extend(location, order, used, next);
    order.pop_back();
    used[i] = false;
    if (!more) return false;
  }
  return true;
}

bool CoherenceOrders::Partial(Location& location, size_t pair, const std::function<bool()>& next) {
  size_t count = location.writes.size();
  Shape shape = execution_->shape();
  Word* co = execution_->co();
  if (pair == count * count) {
    for (int a : location.writes) {
      for (int b : location.writes) {
        if (!Has(co, shape, a, b)) continue;
        for (int c : location.writes) {
          if (Has(co, shape, b, c) && !Has(co, shape, a, c)) return true;  // not transitive: not an order
        }
      }
    }
    return next();
  }
  size_t i = pair / count;
  size_t j = pair % count;
  if (i >= j) return Partial(location, pair + 1, next);
  int a = location.writes[i];
  int b = location.writes[j];
  auto clear = [&] {
    Row(co, shape, a)[b / 64] &= ~(Word{1} << (b % 64));
    Row(co, shape, b)[a / 64] &= ~(Word{1} << (a % 64));
  };
  for (int choice = 0; choice < 3; ++choice) {
    clear();
    if (choice == 1) Put(co, shape, a, b);
    if (choice == 2) Put(co, shape, b, a);
    if (!Partial(location, pair + 1, next)) return false;
  }
  clear();
  return true;
}

}  // namespace heddle::litmus
