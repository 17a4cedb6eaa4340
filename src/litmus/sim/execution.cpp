#include "litmus/sim/execution.h"

#include <algorithm>

namespace heddle::litmus {

void Execution::Build(const std::vector<const Trace*>& traces) {
  traces_ = traces;
  AddEvents();
  shape_ = Shape::For(static_cast<int>(events_.size()));
  source_.assign(events_.size(), -1);
  co_.assign(shape_.RelWords(), 0);
  sync_fence_.assign(shape_.RelWords(), 0);
  meetings_.assign(shape_.RelWords(), 0);
  AddTags();
}

void Execution::AddEvents() {
  events_.clear();
  first_.clear();
  physical_.clear();
  for (size_t i = 0; i < test_.cells.size(); ++i) {
    if (test_.cells[i].physical != static_cast<int>(i)) continue;
    Event init;
    init.cell = static_cast<int>(i);
    init.writes = true;
    init.written_value = test_.cells[i].init;
    init.tags = test_.cells[i].tags;
    init.tags.set(TagOf("IW"));
    events_.push_back(init);
  }
  for (const Trace* trace : traces_) {
    first_.push_back(static_cast<int>(events_.size()));
    events_.insert(events_.end(), trace->events.begin(), trace->events.end());
  }
  first_.push_back(static_cast<int>(events_.size()));
  divided_ = std::any_of(traces_.begin(), traces_.end(), [](const Trace* trace) {
    for (size_t i = 0; i < trace->events.size(); ++i) {
      if (trace->events[i].access != static_cast<int>(i)) return true;
    }
    return false;
  });
  for (const Event& event : events_) {
    physical_.push_back(event.cell < 0 ? -1 : test_.cells[static_cast<size_t>(event.cell)].physical);
  }
}

void Execution::AddTags() {
  auto words = static_cast<size_t>(shape_.words);
  tag_bits_.assign(kTagCount * words, 0);
  for (size_t e = 0; e < events_.size(); ++e) {
    const Event& event = events_[e];
    auto put = [&](size_t tag) { Put(&tag_bits_[tag * words], static_cast<int>(e)); };
    for (size_t tag = event.tags._Find_first(); tag < kTagCount; tag = event.tags._Find_next(tag)) put(tag);
    if (event.reads) put(TagOf("R"));
    if (event.writes) put(TagOf("W"));
    if (event.cell >= 0) put(TagOf("M"));
  }
}

void Execution::StartCoherence() {
  std::fill(co_.begin(), co_.end(), 0);
  for (int a = 0; a < shape_.events && events_[static_cast<size_t>(a)].thread < 0; ++a) {
    for (int b = 0; b < shape_.events; ++b) {
      const Event& event = events_[static_cast<size_t>(b)];
      if (event.thread >= 0 && event.writes && physical(a) == physical(b)) Put(co_.data(), shape_, a, b);
    }
  }
}

int64_t Execution::ValueOf(int event) const {
  const Event& e = events_[static_cast<size_t>(event)];
  return e.reads ? e.read_value : e.written_value;
}

bool Execution::PoBefore(int a, int b) const {
  return a < b && events_[static_cast<size_t>(a)].thread >= 0 &&
         events_[static_cast<size_t>(a)].thread == events_[static_cast<size_t>(b)].thread;
}

void Execution::FillPairs(Word* out, Trace::Pairs Trace::* pairs) const {
  for (size_t t = 0; t < traces_.size(); ++t) {
    for (const auto& [a, b] : traces_[t]->*pairs) Put(out, shape_, first_[t] + a, first_[t] + b);
  }
}

// Initial writes belong to no group but the whole system.
bool Execution::SameScope(int a, int b, Base base) const {
  int ta = events_[static_cast<size_t>(a)].thread;
  int tb = events_[static_cast<size_t>(b)].thread;
  if (ta < 0 || tb < 0) return false;
  const Scope& x = test_.threads[static_cast<size_t>(ta)].scope;
  const Scope& y = test_.threads[static_cast<size_t>(tb)].scope;
  if (x.device != y.device) return false;
  if (base == Base::kSameDevice) return true;
  if (x.queue != y.queue) return false;
  if (base == Base::kSameQueueFamily) return true;
  if (x.cluster != y.cluster) return false;
  if (base == Base::kSameCluster && x.cluster >= 0) return true;
  if (x.group != y.group) return false;
  return base != Base::kSameSubgroup || x.warp == y.warp;
}

bool Execution::Includes(int a, int b) const {
  const TagSet& tags = events_[static_cast<size_t>(a)].tags;
  if (events_[static_cast<size_t>(a)].thread < 0) return true;
  if (tags.test(TagOf("SYS")) || tags.test(TagOf("ALL"))) return true;
  if (tags.test(TagOf("GPU")) || tags.test(TagOf("DV"))) return SameScope(a, b, Base::kSameDevice);
  if (tags.test(TagOf("QF"))) return SameScope(a, b, Base::kSameQueueFamily);
  if (tags.test(TagOf("CLUSTER"))) return SameScope(a, b, Base::kSameCluster);
  if (tags.test(TagOf("CTA")) || tags.test(TagOf("WG"))) return SameScope(a, b, Base::kSameCta);
  if (tags.test(TagOf("SG"))) return SameScope(a, b, Base::kSameSubgroup);
  return events_[static_cast<size_t>(a)].thread == events_[static_cast<size_t>(b)].thread;
}

// OpenCL's model looks at the group itself, so that it can tell barriers that no other thread of the group meets.
bool Execution::SameBarrier(int a, int b) const {
  const Event& x = events_[static_cast<size_t>(a)];
  const Event& y = events_[static_cast<size_t>(b)];
  if (x.barrier_use < 0 || x.barrier_use != y.barrier_use || x.barrier != y.barrier) return false;
  if (x.barrier_instance != y.barrier_instance) return false;
  if (test_.arch == Arch::kOpenCl) return true;
  return test_.arch == Arch::kGpuPtx ? SameScope(a, b, Base::kSameCta) : Includes(a, b) && Includes(b, a);
}

void Execution::SetMeeting(int a, int b, bool meet) {
  Word& word = Row(meetings_.data(), shape_, a)[b / 64];
  Word bit = Word{1} << (b % 64);
  word = meet ? word | bit : word & ~bit;
}

const Word* Execution::Relation(Base base, Arena& arena) const {
  if (base == Base::kCo) return co_.data();
  if (base == Base::kSyncFence) return sync_fence_.data();
  if (base >= Base::kRf) return Communication(base, arena);
  Word* out = arena.TakeZeroed(shape_.RelWords());
  auto all = [&](auto&& holds) {
    for (int a = 0; a < shape_.events; ++a) {
      for (int b = 0; b < shape_.events; ++b) {
        if (holds(a, b)) Put(out, shape_, a, b);
      }
    }
  };
  auto thread = [&](int e) { return events_[static_cast<size_t>(e)].thread; };
  auto same_thread = [&](int a, int b) { return thread(a) >= 0 && thread(a) == thread(b); };
  auto same = [&](int Event::* number, int a, int b) {
    return a == b ||
           (same_thread(a, b) && events_[static_cast<size_t>(a)].*number == events_[static_cast<size_t>(b)].*number);
  };
  // Program order is between instructions, as the models of processors have it: the two halves of one are related by
  // amo. The GPU models count them as ordered.
  bool gpu = IsGpu(test_.arch);
  auto po = [&](int a, int b) { return a < b && same_thread(a, b) && (gpu || !same(&Event::instance, a, b)); };
  auto same_loc = [&](int a, int b) { return physical(a) >= 0 && physical(a) == physical(b); };
  auto virt = [&](int e) {
    // An access through another proxy has the address of what it is an alias of; a generic alias has one of its own.
    int cell = events_[static_cast<size_t>(e)].cell;
    if (cell < 0) return -1;
    int seen_at = test_.cells[static_cast<size_t>(cell)].seen_at;
    return seen_at >= 0 ? seen_at : cell;
  };
  switch (base) {
    case Base::kPo:
      all(po);
      break;
    case Base::kPoLoc:
      all([&](int a, int b) { return same_loc(a, b) && po(a, b); });
      break;
    case Base::kAddr:
      FillPairs(out, &Trace::addr);
      break;
    case Base::kData:
      FillPairs(out, &Trace::data);
      break;
    case Base::kCtrl:
      FillPairs(out, &Trace::ctrl);
      break;
    case Base::kRmw:
      FillPairs(out, &Trace::rmw);
      break;
    case Base::kAmo:
      FillPairs(out, &Trace::amo);
      break;
    case Base::kLxsx: {
      FillPairs(out, &Trace::rmw);
      Word* amo = arena.TakeZeroed(shape_.RelWords());
      FillPairs(amo, &Trace::amo);
      for (size_t i = 0; i < shape_.RelWords(); ++i) out[i] &= ~amo[i];
      break;
    }
    case Base::kLoc:
      all(same_loc);
      break;
    case Base::kVloc:
      // The initial write of a location goes with every name of it.
      all([&](int a, int b) { return same_loc(a, b) && (thread(a) < 0 || thread(b) < 0 || virt(a) == virt(b)); });
      break;
    case Base::kInt:
      all([&](int a, int b) { return same_thread(a, b); });
      break;
    case Base::kExt:
      all([&](int a, int b) { return thread(a) != thread(b); });
      break;
    case Base::kId:
      for (int e = 0; e < shape_.events; ++e) Put(out, shape_, e, e);
      break;
    case Base::kSameInstruction:
      all([&](int a, int b) { return same(&Event::instance, a, b); });
      break;
    case Base::kSameAccess:
      all([&](int a, int b) { return same(&Event::access, a, b); });
      break;
    case Base::kPick:
      FillPairs(out, &Trace::pick);
      break;
    case Base::kPickAddr:
      FillPairs(out, &Trace::pick_addr);
      break;
    case Base::kPickCtrl:
      FillPairs(out, &Trace::pick_ctrl);
      break;
    case Base::kSameScope:
      all([&](int a, int b) { return Includes(a, b) && Includes(b, a); });
      break;
    case Base::kSameCta:
    case Base::kSameWorkgroup:
    case Base::kSameSubgroup:
    case Base::kSameCluster:
    case Base::kSameQueueFamily:
    case Base::kSameDevice:
      all([&](int a, int b) { return SameScope(a, b, base == Base::kSameCta ? Base::kSameWorkgroup : base); });
      break;
    case Base::kSameBarrier:
      std::copy_n(meetings_.data(), shape_.RelWords(), out);
      break;
    case Base::kSystemSync:
      all([&](int a, int b) {
        return std::find(test_.system_sync.begin(), test_.system_sync.end(), std::pair(thread(a), thread(b))) !=
               test_.system_sync.end();
      });
      break;
    case Base::kCoInit:
      all([&](int a, int b) {
        return thread(a) < 0 && thread(b) >= 0 && same_loc(a, b) && events_[static_cast<size_t>(b)].writes;
      });
      break;
    default:
      break;
  }
  return out;
}

// rf, fr and their parts within and between threads; the final writes.
const Word* Execution::Communication(Base base, Arena& arena) const {
  if (base == Base::kFinalWrites) {
    Word* set = arena.TakeZeroed(shape_.SetWords());
    for (int e = 0; e < shape_.events; ++e) {
      if (events_[static_cast<size_t>(e)].writes && !AnyBit(Row(co_.data(), shape_, e), shape_.SetWords())) Put(set, e);
    }
    return set;
  }
  Word* out = arena.TakeZeroed(shape_.RelWords());
  bool reads = base == Base::kRf || base == Base::kRfe || base == Base::kRfi;
  bool from_reads = base == Base::kFr || base == Base::kFre || base == Base::kFri;
  for (int e = 0; e < shape_.events; ++e) {
    int write = source_[static_cast<size_t>(e)];
    if (reads && write >= 0) Put(out, shape_, write, e);
    if (from_reads && write >= 0) {
      std::copy_n(Row(co_.data(), shape_, write), shape_.words, Row(out, shape_, e));
      Row(out, shape_, e)[e / 64] &= ~(Word{1} << (e % 64));
    }
    if (!reads && !from_reads) std::copy_n(Row(co_.data(), shape_, e), shape_.words, Row(out, shape_, e));
  }
  bool external = base == Base::kRfe || base == Base::kCoe || base == Base::kFre;
  bool internal = base == Base::kRfi || base == Base::kCoi || base == Base::kFri;
  if (!external && !internal) return out;
  for (int e = 0; e < shape_.events; ++e) {
    int thread = events_[static_cast<size_t>(e)].thread;
    Word* row = Row(out, shape_, e);
    int begin = thread < 0 ? 0 : first_[static_cast<size_t>(thread)];
    int end = thread < 0 ? 0 : first_[static_cast<size_t>(thread) + 1];
    for (int w = 0; w < shape_.words; ++w) {
      Word mine = 0;
      for (int f = std::max(begin, w * 64); f < std::min(end, w * 64 + 64); ++f) mine |= Word{1} << (f % 64);
      row[w] &= external ? ~mine : mine;
    }
  }
  return out;
}

}  // namespace heddle::litmus
