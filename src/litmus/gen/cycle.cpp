#include "litmus/gen/cycle.h"

#include <algorithm>
#include <map>

// Depth-first over sequences of edges whose directions fit. A sequence is kept when its last edge leads to another
// thread (so that no thread is split), it has at least two such edges and not exactly one change of location, and it is
// the least of its rotations that end in such an edge. Two communications in a row that are another communication (rf
// then fr is co, and so on) are left out. Values: the writes of a location are numbered along the cycle, a read that is
// the target of rf gets that value, a read that is the source of fr gets the one before.
namespace heddle::litmus {
namespace {

bool Redundant(const Edge& a, const Edge& b) {
  if (!a.external || !b.external) return false;
  return (a.kind == EdgeKind::kRf && b.kind == EdgeKind::kFr) || (a.kind == EdgeKind::kFr && b.kind == EdgeKind::kCo) ||
         (a.kind == EdgeKind::kCo && b.kind == EdgeKind::kCo);
}

bool OrdersAgree(const Edge& a, const Edge& b) {
  return a.to_order.empty() || b.from_order.empty() || a.to_order == b.from_order;
}

// What two edges say of the access between them; 0: nothing.
bool Agree(char a, char b) { return a == 0 || b == 0 || a == b; }

bool Follows(const Edge& a, const Edge& b) {
  return a.to == b.from && !Redundant(a, b) && OrdersAgree(a, b) && Agree(a.to_cache, b.from_cache) &&
         Agree(a.to_space, b.from_space);
}

class Enumerator {
 public:
  // Threads, locations, values and the final state from the edges alone.
  static bool Complete(Cycle& cycle) {
    cycle.events.clear();
    int changes = 0;
    for (const Edge& edge : cycle.edges) changes += edge.same_location ? 0 : 1;
    return Fill(cycle, changes);
  }

  Enumerator(const std::vector<Edge>& edges, const CycleLimits& limits, const std::function<bool(Cycle&)>& take)
      : edges_(edges), limits_(limits), take_(take) {}

  void Run() {
    for (size_ = 2; size_ <= limits_.size && go_; ++size_) Extend();
  }

 private:
  void Extend() {
    if (static_cast<int>(chosen_.size()) == size_) {
      Consider();
      return;
    }
    for (size_t i = 0; i < edges_.size() && go_; ++i) {
      if (!chosen_.empty() && !Follows(edges_[chosen_.back()], edges_[i])) continue;
      if (edges_[i].external && externals_ == limits_.threads) continue;
      externals_ += edges_[i].external ? 1 : 0;
      chosen_.push_back(i);
      Extend();
      chosen_.pop_back();
      externals_ -= edges_[i].external ? 1 : 0;
    }
  }

  const Edge& At(size_t i) const { return edges_[chosen_[i % chosen_.size()]]; }

  void Consider() {
    if (!At(chosen_.size() - 1).external || !Follows(At(chosen_.size() - 1), At(0))) return;
    int changes = 0;
    for (size_t i = 0; i < chosen_.size(); ++i) changes += At(i).same_location ? 0 : 1;
    if (externals_ < 2 || changes == 1 || !Least()) return;
    Cycle cycle;
    for (size_t i = 0; i < chosen_.size(); ++i) cycle.edges.push_back(At(i));
    if (!Fill(cycle, changes)) return;
    ++taken_;
    go_ = take_(cycle) && (limits_.limit == 0 || taken_ < limits_.limit);
  }

  bool Least() const {
    size_t n = chosen_.size();
    for (size_t shift = 1; shift < n; ++shift) {
      if (!At(shift - 1).external) continue;  // would not end in an external edge
      for (size_t i = 0; i < n; ++i) {
        size_t mine = chosen_[i];
        size_t other = chosen_[(i + shift) % n];
        if (other < mine) return false;
        if (other > mine) break;
      }
    }
    return true;
  }

  static bool Fill(Cycle& cycle, int changes) {
    size_t n = cycle.edges.size();
    int thread = 0;
    int location = 0;
    int locations = std::max(1, changes);
    for (size_t i = 0; i < n; ++i) {
      CycleEvent event;
      event.kind = cycle.edges[i].from;
      event.thread = thread;
      event.location = location;
      const Edge& before = cycle.edges[(i + n - 1) % n];
      event.order = cycle.edges[i].from_order.empty() ? before.to_order : cycle.edges[i].from_order;
      if (event.order == "P") event.order.clear();
      event.cache = cycle.edges[i].from_cache != 0 ? cycle.edges[i].from_cache : before.to_cache;
      event.space = cycle.edges[i].from_space != 0 ? cycle.edges[i].from_space : before.to_space;
      cycle.events.push_back(event);
      if (cycle.edges[i].external) ++thread;
      if (!cycle.edges[i].same_location) location = (location + 1) % locations;
    }
    cycle.threads = thread;
    cycle.locations = locations;
    return Values(cycle);
  }

  // Numbers the writes of each location in the order of the segment that the location is in the cycle.
  static bool Values(Cycle& cycle) {
    size_t n = cycle.edges.size();
    size_t start = 0;  // just after a change of location, so that segments are whole
    for (size_t i = 0; i < n; ++i) {
      if (!cycle.edges[(i + n - 1) % n].same_location) start = i;
    }
    bool one_place = cycle.locations == 1;
    if (one_place) start = StartOfOnePlace(cycle);
    std::vector<int> count(static_cast<size_t>(cycle.locations), 0);
    for (size_t k = 0; k < n; ++k) {
      CycleEvent& event = cycle.events[(start + k) % n];
      if (event.kind == 'W') event.value = ++count[static_cast<size_t>(event.location)];
    }
    for (size_t i = 0; i < n; ++i) {
      CycleEvent& event = cycle.events[i];
      if (event.kind != 'R') continue;
      const Edge& before = cycle.edges[(i + n - 1) % n];
      const Edge& after = cycle.edges[i];
      if (before.kind == EdgeKind::kRf) {
        event.value = cycle.events[(i + n - 1) % n].value;
        event.observed = true;
      } else if (after.kind == EdgeKind::kFr || after.kind == EdgeKind::kAmo || after.kind == EdgeKind::kLxSx) {
        event.value = cycle.events[(i + 1) % n].value - 1;
        event.observed = true;
      }
    }
    cycle.final_values.assign(count.size(), -1);
    for (size_t i = 0; i < count.size(); ++i) {
      if (count[i] > 1) cycle.final_values[i] = count[i];
    }
    return true;
  }

  // With one location the order of the writes is that of the communication, which the rest of the cycle contradicts: it
  // begins after an edge of program order.
  static size_t StartOfOnePlace(const Cycle& cycle) {
    for (size_t i = 0; i < cycle.edges.size(); ++i) {
      const Edge& before = cycle.edges[(i + cycle.edges.size() - 1) % cycle.edges.size()];
      if (before.kind == EdgeKind::kPo || before.kind == EdgeKind::kFence) return i;
    }
    return 0;
  }

  const std::vector<Edge>& edges_;
  const CycleLimits& limits_;
  const std::function<bool(Cycle&)>& take_;
  std::vector<size_t> chosen_;
  int size_ = 0;
  int externals_ = 0;
  uint64_t taken_ = 0;
  bool go_ = true;
};

// ---- names ----

// The shape of a cycle: accesses of each thread, and the communication that leaves it.
std::string Shape(const Cycle& cycle, size_t from) {
  std::string shape;
  size_t n = cycle.edges.size();
  for (size_t k = 0; k < n; ++k) {
    const Edge& edge = cycle.edges[(from + k) % n];
    shape += edge.from;
    if (edge.external) {
      shape += edge.kind == EdgeKind::kRf ? " rf " : edge.kind == EdgeKind::kFr ? " fr " : " co ";
    } else if (edge.same_location) {
      shape += 's';
    }
  }
  return shape;
}

const std::map<std::string, std::string>& Families() {
  static const std::map<std::string, std::string> map = {
      {"WR fr WR fr ", "SB"},
      {"WW rf RR fr ", "MP"},
      {"RW rf RW rf ", "LB"},
      {"WW co WR fr ", "R"},
      {"WW rf RW co ", "S"},
      {"WW co WW co ", "2+2W"},
      {"W rf RW rf RR fr ", "WRC"},
      {"WW rf RW rf RR fr ", "ISA2"},
      {"W rf RR fr WR fr ", "RWC"},
      {"W rf RR fr W rf RR fr ", "IRIW"},
      {"W rf RW rf RW co ", "WWC"},
      {"W rf RW co WR fr ", "WRW+WR"},
      {"W rf RW co WW co ", "WRW+2W"},
      {"W rf RR fr WW co ", "WRR+2W"},
      {"W rf RW rf W rf RR fr ", "IRWIW"},
      {"W rf RW co W rf RW co ", "IRWIW"},
      {"WW rf RR fr WR fr ", "W+RWC"},
      {"WW rf RW rf RW co ", "Z6.2"},
      {"WW rf RW co WR fr ", "Z6.1"},
      {"WW co WR fr WR fr ", "Z6.4"},
      {"WW co WW rf RR fr ", "Z6.0"},
      {"WW co WW co WR fr ", "Z6.5"},
      {"WW co WW rf RW co ", "Z6.3"},
      {"WR fr WR fr WR fr ", "3.SB"},
      {"RW rf RW rf RW rf ", "3.LB"},
      {"WW co WW co WW co ", "3.2W"},
      {"WR fr WR fr WR fr WR fr ", "4.SB"},
      {"RW rf RW rf RW rf RW rf ", "4.LB"},
      {"RsR fr W rf ", "CoRR"},
      {"WsR fr W co ", "CoWR0"},
      {"RsW co W rf ", "CoRW2"},
      {"RsW rf ", "CoRW1"},
      {"WsW co ", "CoWW"},
      {"WsR fr ", "CoWR"},
  };
  return map;
}

void Rotate(Cycle& cycle, size_t by) {
  std::rotate(cycle.edges.begin(), cycle.edges.begin() + static_cast<ptrdiff_t>(by), cycle.edges.end());
  Enumerator::Complete(cycle);
}

// The usual name of the shape; the cycle is turned so that its threads come in the usual order.
std::string Family(Cycle& cycle) {
  size_t n = cycle.edges.size();
  std::string least;
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!cycle.edges[(i + n - 1) % n].external) continue;
    std::string shape = Shape(cycle, i);
    if (auto found = Families().find(shape); found != Families().end()) {
      Rotate(cycle, i);
      return found->second;
    }
    if (!least.empty() && shape >= least) continue;
    least = shape;
    at = i;
  }
  Rotate(cycle, at);
  std::string name;
  for (char c : least) {
    if (c == ' ') {
      if (!name.empty() && name.back() != '+') name += '+';
    } else if (c == 'R' || c == 'W') {
      name += c;
    }
  }
  // rf, fr and co are told by letters, so that shapes with the same accesses stay apart.
  std::string coms;
  for (size_t i = 0; i + 2 < least.size(); ++i) {
    if (least[i] == ' ' && i + 3 < least.size() && least[i + 3] == ' ') coms += least[i + 1];
  }
  while (!name.empty() && name.back() == '+') name.pop_back();
  return name + "." + coms;
}

// What stands between the accesses of each thread, in the order of the threads of the family.
std::string Decoration(const Cycle& cycle) {
  std::vector<std::string> parts;
  std::string current;
  bool plain = true;
  auto order = [](const std::string& word) {
    std::string out;
    for (char c : word) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  for (const Edge& edge : cycle.edges) {
    if (edge.external) {
      if (!current.empty()) parts.push_back(current);
      current.clear();
      continue;
    }
    std::string piece = edge.shown;
    if (!edge.from_order.empty() || !edge.to_order.empty()) {
      piece += order(edge.from_order) + order(edge.to_order);
    }
    if (piece != "po" && piece != "pos") plain = false;
    current += (current.empty() ? "" : "-") + piece;
  }
  if (plain) return "";
  bool same = parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](const auto& p) { return p == parts[0]; });
  if (same) return "+" + parts[0] + "s";
  std::string out;
  for (const std::string& part : parts) out += "+" + part;
  return out;
}

}  // namespace

std::optional<Cycle> CycleOf(const std::vector<Edge>& edges) {
  Cycle cycle;
  cycle.edges = edges;
  // Begins where a thread begins.
  while (!cycle.edges.back().external) {
    std::rotate(cycle.edges.begin(), cycle.edges.begin() + 1, cycle.edges.end());
    if (cycle.edges == edges) return std::nullopt;
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!Follows(cycle.edges[i], cycle.edges[(i + 1) % edges.size()])) return std::nullopt;
  }
  Enumerator::Complete(cycle);
  cycle.name = Family(cycle);
  cycle.name += Decoration(cycle);
  return cycle;
}

void EnumerateCycles(const std::vector<Edge>& edges, const CycleLimits& limits,
                     const std::function<bool(Cycle&)>& take) {
  std::map<std::string, int> used;
  auto named = [&](Cycle& cycle) {
    cycle.name = Family(cycle);  // turns the cycle, so it comes first
    cycle.name += Decoration(cycle);
    int number = used[cycle.name]++;
    if (number > 0) cycle.name += "-" + std::to_string(number + 1);
    return take(cycle);
  };
  Enumerator(edges, limits, named).Run();
}

}  // namespace heddle::litmus
