#include "litmus/sim/ways.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace heddle::litmus {
namespace {

bool SameEvent(const Event& a, const Event& b) {
  return a.instr == b.instr && a.cell == b.cell && a.reads == b.reads && a.writes == b.writes &&
         a.written_value == b.written_value && a.barrier_use == b.barrier_use && a.barrier == b.barrier &&
         a.barrier_instance == b.barrier_instance && a.barrier_threads == b.barrier_threads && a.access == b.access &&
         a.instance == b.instance && a.tags == b.tags;
}

bool SameShape(const Trace& a, const Trace& b) {
  return a.faulted == b.faulted && a.addr == b.addr && a.data == b.data && a.ctrl == b.ctrl && a.rmw == b.rmw &&
         a.amo == b.amo && a.pick == b.pick && a.pick_addr == b.pick_addr && a.pick_ctrl == b.pick_ctrl &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), SameEvent);
}

// Of what tells most traces apart; SameShape decides.
size_t HashOf(const Trace& trace) {
  size_t hash = trace.events.size();
  auto mix = [&](auto value) { hash = (hash ^ std::hash<decltype(value)>()(value)) * 0x9e3779b97f4a7c15U; };
  for (const Event& event : trace.events) {
    mix(event.instr);
    mix(event.cell);
    mix(event.writes ? event.written_value : -1);
  }
  return hash;
}

}  // namespace

std::vector<Way> WaysOf(const std::vector<Trace>& traces, bool together) {
  std::vector<Way> ways;
  std::unordered_multimap<size_t, size_t> known;
  for (const Trace& trace : traces) {
    size_t hash = together ? HashOf(trace) : 0;
    auto [begin, end] = known.equal_range(hash);
    auto found =
        std::find_if(begin, end, [&](const auto& entry) { return SameShape(*ways[entry.second].traces[0], trace); });
    if (together && found != end) {
      ways[found->second].traces.push_back(&trace);
      continue;
    }
    if (together) known.emplace(hash, ways.size());
    ways.push_back({{&trace}});
  }
  return ways;
}

}  // namespace heddle::litmus
