#include "litmus/gen/placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

// Set partitions as restricted growth strings, for kernels and for the CTAs in them; then each location in global or in
// shared memory. A cycle that looks the same when it is turned gives placements that differ in names only: the least of
// them is kept.
namespace heddle::litmus {
namespace {

using Partition = std::vector<int>;

std::vector<Partition> Partitions(size_t count) {
  std::vector<Partition> all;
  Partition current(count, 0);
  auto extend = [&](auto&& self, size_t i, int groups) -> void {
    if (i == count) {
      all.push_back(current);
      return;
    }
    for (int g = 0; g <= groups; ++g) {
      current[i] = g;
      self(self, i + 1, std::max(groups, g + 1));
    }
  };
  extend(extend, 1, 1);
  return all;
}

// Whether threads that are together in `fine` are together in `coarse`.
bool Within(const Partition& fine, const Partition& coarse) {
  for (size_t i = 0; i < fine.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (fine[i] == fine[j] && coarse[i] != coarse[j]) return false;
    }
  }
  return true;
}

// A way to turn the cycle onto itself: where its threads and locations go.
struct Turn {
  std::vector<int> threads;
  std::vector<int> locations;
};

std::vector<Turn> TurnsOf(const Cycle& cycle) {
  std::vector<Turn> turns;
  size_t n = cycle.edges.size();
  for (size_t by = 1; by < n; ++by) {
    Turn turn{std::vector<int>(static_cast<size_t>(cycle.threads), -1),
              std::vector<int>(static_cast<size_t>(cycle.locations), -1)};
    bool same = true;
    auto goes = [&](std::vector<int>& map, int from, int to) {
      int& place = map[static_cast<size_t>(from)];
      if (place < 0) place = to;
      same = same && place == to;
    };
    for (size_t i = 0; i < n && same; ++i) {
      const CycleEvent& here = cycle.events[i];
      const CycleEvent& there = cycle.events[(i + by) % n];
      same = cycle.edges[i] == cycle.edges[(i + by) % n];
      goes(turn.threads, here.thread, there.thread);
      goes(turn.locations, here.location, there.location);
    }
    if (same) turns.push_back(std::move(turn));
  }
  return turns;
}

Partition Turned(const Partition& partition, const std::vector<int>& threads) {
  Partition moved(partition.size());
  for (size_t t = 0; t < partition.size(); ++t) moved[static_cast<size_t>(threads[t])] = partition[t];
  std::vector<int> names(partition.size(), -1);
  int next = 0;
  for (int& group : moved) {
    int& name = names[static_cast<size_t>(group)];
    if (name < 0) name = next++;
    group = name;
  }
  return moved;
}

bool Least(const Placement& placement, const std::vector<Turn>& turns) {
  auto key = [](const Placement& p) { return std::tie(p.kernels, p.groups, p.shared); };
  return std::none_of(turns.begin(), turns.end(), [&](const Turn& turn) {
    Placement other = placement;
    other.groups = Turned(placement.groups, turn.threads);
    other.kernels = Turned(placement.kernels, turn.threads);
    for (size_t i = 0; i < placement.shared.size(); ++i)
      other.shared[static_cast<size_t>(turn.locations[i])] = placement.shared[i];
    return key(other) < key(placement);
  });
}

// Edges may say that their threads are in different CTAs or kernels.
bool ApartEnough(const Cycle& cycle, const Partition& kernels, const Partition& groups) {
  for (size_t i = 0; i < cycle.edges.size(); ++i) {
    const Partition* level = cycle.edges[i].apart == 'c' ? &groups : cycle.edges[i].apart == 'k' ? &kernels : nullptr;
    if (level == nullptr) continue;
    auto a = static_cast<size_t>(cycle.events[i].thread);
    auto b = static_cast<size_t>(cycle.events[(i + 1) % cycle.events.size()].thread);
    if ((*level)[a] == (*level)[b]) return false;
  }
  return true;
}

// Whether the location may lie in this space: as its accesses say, and shared memory only of one CTA.
bool MayLie(const Cycle& cycle, const Partition& groups, int location, bool shared) {
  int group = -1;
  for (const CycleEvent& event : cycle.events) {
    if (event.location != location) continue;
    if (event.space != 0 && (event.space == 's') != shared) return false;
    int here = groups[static_cast<size_t>(event.thread)];
    if (shared && group >= 0 && here != group) return false;
    group = here;
  }
  return true;
}

std::string NameOf(const Placement& placement) {
  std::string name;
  for (int group : placement.groups) name += static_cast<char>('A' + group);
  if (std::any_of(placement.kernels.begin(), placement.kernels.end(), [](int k) { return k > 0; })) {
    name += "+";
    for (int kernel : placement.kernels) name += static_cast<char>('0' + kernel);
  }
  if (std::find(placement.shared.begin(), placement.shared.end(), true) != placement.shared.end()) {
    name += "+";
    for (bool shared : placement.shared) name += shared ? 's' : 'g';
  }
  return name;
}

}  // namespace

Placement Apart(const Cycle& cycle) {
  Placement placement;
  placement.groups.resize(static_cast<size_t>(cycle.threads));
  std::iota(placement.groups.begin(), placement.groups.end(), 0);
  placement.kernels.assign(placement.groups.size(), 0);
  placement.shared.assign(static_cast<size_t>(cycle.locations), false);
  return placement;
}

std::vector<Placement> Placements(Arch arch, const Cycle& cycle) {
  auto count = static_cast<size_t>(cycle.threads);
  Placement plain{Partition(count, 0), Partition(count, 0), std::vector<bool>(static_cast<size_t>(cycle.locations)),
                  ""};
  bool thesis = arch == Arch::kGpuPtx;
  if (!thesis && arch != Arch::kPtx && arch != Arch::kOpenCl) return {plain};
  std::vector<Turn> turns = TurnsOf(cycle);
  std::vector<Partition> partitions = Partitions(count);
  std::vector<Placement> all;
  for (const Partition& kernels : thesis ? partitions : std::vector<Partition>{plain.kernels}) {
    for (const Partition& groups : partitions) {
      if (!Within(groups, kernels) || !ApartEnough(cycle, kernels, groups)) continue;
      Placement placement{groups, kernels, plain.shared, ""};
      std::function<void(size_t)> place = [&](size_t location) {
        if (location == placement.shared.size()) {
          if (!Least(placement, turns)) return;
          placement.name = NameOf(placement);
          all.push_back(placement);
          return;
        }
        for (bool shared : {false, true}) {
          if ((shared && !thesis) || !MayLie(cycle, groups, static_cast<int>(location), shared)) continue;
          placement.shared[location] = shared;
          place(location + 1);
        }
        placement.shared[location] = false;
      };
      place(0);
    }
  }
  return all;
}

}  // namespace heddle::litmus
