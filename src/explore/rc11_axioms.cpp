#include "explore/rc11_axioms.h"

#include <algorithm>
#include <bitset>
#include <optional>

#include "base/relation.h"

namespace heddle::explore {
namespace {

using trace::Order;

constexpr size_t kMost = 40;
using Set = std::bitset<kMost>;
using Relation = heddle::Relation<kMost>;

struct Node {
  int thread = -1;  // -1: an initial store
  int place = 0;
  bool reads = false;
  bool writes = false;
  bool fence = false;
  bool lock = false;
  bool unlock = false;
  Order order = Order::Relaxed;
  uint32_t object = 0;
  uint32_t value = 0;
  size_t from = 0;
};

struct Graph {
  std::vector<Node> nodes;
  std::map<uint32_t, std::vector<size_t>> modifications;
  std::map<uint32_t, std::vector<size_t>> locks;  // in the order in which they were performed
};

bool IsAcquire(const Node& n) {
  return n.order == Order::Acquire || n.order == Order::AcqRel || n.order == Order::SeqCst;
}
bool IsRelease(const Node& n) {
  return n.order == Order::Release || n.order == Order::AcqRel || n.order == Order::SeqCst;
}

class Axioms {
 public:
  explicit Axioms(const Graph& graph) : graph_(graph) {
    const std::vector<Node>& nodes = graph.nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& n = nodes[i];
      bool atomic = !n.lock && !n.unlock && n.thread >= 0;
      reads_[i] = n.reads;
      writes_[i] = n.writes;
      fences_[i] = n.fence;
      sc_[i] = atomic && n.order == Order::SeqCst;
      acquire_[i] = atomic && IsAcquire(n);
      release_[i] = atomic && IsRelease(n);
      if (n.reads) rf_[n.from].set(i);
      for (size_t j = 0; j < nodes.size(); ++j) {
        bool initial = n.thread < 0 && nodes[j].thread >= 0;
        if (initial || (n.thread == nodes[j].thread && n.place < nodes[j].place)) sb_[i].set(j);
      }
    }
    for (const auto& [object, order] : graph.modifications) {
      for (size_t a = 0; a < order.size(); ++a) {
        for (size_t b = a + 1; b < order.size(); ++b) mo_[order[a]].set(order[b]);
      }
    }
    for (size_t r = 0; r < nodes.size(); ++r) {
      if (nodes[r].reads) rb_[r] = mo_[nodes[r].from];
      rb_[r].reset(r);
    }
  }

  bool Consistent() const {
    for (size_t e = 0; e < graph_.nodes.size(); ++e) {
      if (!reads_[e] || !writes_[e]) continue;
      size_t from = graph_.nodes[e].from;
      if (!mo_[from][e]) return false;
      for (size_t w = 0; w < kMost; ++w) {
        if (mo_[from][w] && mo_[w][e]) return false;
      }
    }
    Relation hb = HappensBefore();
    Relation eco = Closure(Union(Union(rf_, mo_), rb_));
    if (!Irreflexive(hb) || !Irreflexive(Compose(hb, Reflexive(eco)))) return false;
    return Irreflexive(Closure(PartialSc(hb, eco)));
  }

 private:
  Relation HappensBefore() const {
    Relation rmw{};
    for (size_t e = 0; e < kMost; ++e) {
      if (reads_[e] && writes_[e]) rmw[e].set(e);
    }
    Set all;
    all.set();
    Relation sequence = Reflexive(Closure(Compose(rf_, rmw)));
    Relation head = Union(Restrict(release_ & writes_, sequence, all),
                          Compose(Restrict(release_ & fences_, sb_, writes_), sequence));
    Relation to = Compose(head, rf_);
    Relation sw = Union(Restrict(all, to, acquire_), Restrict(all, Compose(to, sb_), acquire_ & fences_));
    for (const auto& [object, order] : graph_.locks) {
      for (size_t a = 0; a < order.size(); ++a) {
        for (size_t b = a + 1; b < order.size(); ++b) {
          if (graph_.nodes[order[a]].unlock && graph_.nodes[order[b]].lock) sw[order[a]].set(order[b]);
        }
      }
    }
    return Closure(Union(sb_, sw));
  }

  bool SamePlace(size_t a, size_t b) const {
    auto placed = [this](size_t e) { return reads_[e] || writes_[e]; };
    return placed(a) && placed(b) && graph_.nodes[a].object == graph_.nodes[b].object;
  }

  Relation PartialSc(const Relation& hb, const Relation& eco) const {
    Relation sb_other{};
    Relation hb_same{};
    for (size_t a = 0; a < graph_.nodes.size(); ++a) {
      for (size_t b = 0; b < graph_.nodes.size(); ++b) {
        if (sb_[a][b] && !SamePlace(a, b)) sb_other[a].set(b);
        if (hb[a][b] && SamePlace(a, b)) hb_same[a].set(b);
      }
    }
    Relation scb = Union(Union(sb_, Compose(Compose(sb_other, hb), sb_other)), Union(hb_same, Union(mo_, rb_)));
    Set sc_fences = sc_ & fences_;
    Set all;
    all.set();
    Relation identity = Reflexive(Relation{});
    Relation left = Union(Restrict(sc_, identity, all), Restrict(sc_fences, Reflexive(hb), all));
    Relation right = Union(Restrict(all, identity, sc_), Restrict(all, Reflexive(hb), sc_fences));
    Relation base = Compose(Compose(left, scb), right);
    Relation fence = Restrict(sc_fences, Union(hb, Compose(Compose(hb, eco), hb)), sc_fences);
    return Union(base, fence);
  }

  const Graph& graph_;
  Set reads_, writes_, fences_, sc_, acquire_, release_;
  Relation sb_{}, rf_{}, mo_{}, rb_{};
};

class Enumeration {
 public:
  explicit Enumeration(const ModelProgram& program) : program_(program) {}

  std::set<std::string> Run() {
    Graph graph;
    std::set<uint32_t> objects;
    for (const auto& thread : program_.threads) {
      for (const Instruction& i : thread) {
        if (i.what <= Instruction::kCas || Awaits(i)) objects.insert(i.object);
      }
    }
    for (uint32_t object : objects) {
      Node initial;
      initial.writes = true;
      initial.object = object;
      graph.modifications[object].push_back(graph.nodes.size());
      graph.nodes.push_back(initial);
    }
    std::vector<State> states(program_.threads.size());
    for (size_t t = 0; t < states.size(); ++t) Pass(t, states[t]);
    Visit(graph, states);
    return complete_;
  }

 private:
  struct State {
    size_t at = 0;
    int place = 0;
    uint32_t r = 0;
  };

  static bool Awaits(const Instruction& i) {
    return i.what >= Instruction::kAwait && i.what <= Instruction::kAwaitSwap;
  }
  static bool Met(const Instruction& i, uint32_t value) {
    if (i.what == Instruction::kAwaitBelow) return value < i.a;
    return i.what == Instruction::kAwaitSwap ? value != i.a : value == i.a;
  }

  void Pass(size_t t, State& state) const {
    const auto& code = program_.threads[t];
    while (state.at < code.size() && code[state.at].what == Instruction::kSkipIf) {
      state.at += 1 + (state.r == code[state.at].a ? code[state.at].b : 0);
    }
  }

  void Visit(const Graph& graph, const std::vector<State>& states) {
    std::string text = Text(graph, true);
    if (!seen_.insert(text).second) return;
    bool any = false;
    for (size_t t = 0; t < states.size(); ++t) {
      if (states[t].at < program_.threads[t].size()) any = Step(graph, states, t) || any;
    }
    if (!any) complete_.insert(Text(graph, false));
  }

  bool Step(const Graph& graph, const std::vector<State>& states, size_t t) {
    const Instruction& i = program_.threads[t][states[t].at];
    Node node;
    node.thread = static_cast<int>(t);
    node.place = states[t].place;
    node.order = i.order;
    node.object = i.object;
    if (i.what == Instruction::kFence) {
      node.fence = true;
      Go(graph, states, t, node, states[t].r, std::nullopt);
      return true;
    }
    if (i.what == Instruction::kLock || i.what == Instruction::kUnlock) {
      auto known = graph.locks.find(i.object);
      bool held = known != graph.locks.end() && !known->second.empty() && graph.nodes[known->second.back()].lock;
      if (i.what == Instruction::kLock && held) return false;
      (i.what == Instruction::kLock ? node.lock : node.unlock) = true;
      Go(graph, states, t, node, states[t].r, std::nullopt);
      return true;
    }
    const std::vector<size_t>& order = graph.modifications.at(i.object);
    bool any = false;
    for (size_t at = 0; at < order.size(); ++at) {
      if (Awaits(i) && !Met(i, graph.nodes[order[at]].value)) continue;
      any = Choose(graph, states, t, node, i, at) || any;
    }
    return any;
  }

  bool Choose(const Graph& graph, const std::vector<State>& states, size_t t, Node node, const Instruction& i,
              size_t at) {
    size_t from = graph.modifications.at(i.object)[at];
    uint32_t read = graph.nodes[from].value;
    uint32_t r = states[t].r;
    bool compares = i.what == Instruction::kCas || i.what == Instruction::kAwaitCas;
    bool loads = i.what == Instruction::kLoad || i.what == Instruction::kAwait || i.what == Instruction::kAwaitBelow;
    bool stores = !loads && (!compares || read == i.a);
    node.reads = loads || i.what == Instruction::kAdd || i.what == Instruction::kAwaitSwap || compares;
    node.writes = stores;
    if (compares && !stores) node.order = i.failure;
    if (node.reads) node.from = from;
    if (i.what == Instruction::kStore || i.what == Instruction::kAwaitSwap) node.value = i.a;
    if (i.what == Instruction::kStoreReg) node.value = r + i.a;
    if (i.what == Instruction::kAdd) node.value = read + i.a;
    if (compares) node.value = i.b;
    if (node.reads && i.what != Instruction::kAwaitCas) r = compares ? (stores ? 1 : 0) : read;
    return Go(graph, states, t, node, r, stores ? std::optional<size_t>(at + 1) : std::nullopt);
  }

  // Whether that is consistent.
  bool Go(Graph graph, std::vector<State> states, size_t t, const Node& node, uint32_t r, std::optional<size_t> where) {
    size_t index = graph.nodes.size();
    if (index >= kMost) return true;
    graph.nodes.push_back(node);
    if (where) {
      auto& order = graph.modifications[node.object];
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(*where), index);
    }
    if (node.lock || node.unlock) graph.locks[node.object].push_back(index);
    if (!Axioms(graph).Consistent()) return false;
    State& state = states[t];
    state.r = r;
    ++state.at;
    ++state.place;
    Pass(t, state);
    Visit(graph, states);
    return true;
  }

  // As ModelProgram does it; with `all`, the events that have no edges and the order of locks too.
  static std::string Text(const Graph& graph, bool all) {
    std::vector<std::string> names;
    for (const Node& n : graph.nodes) {
      names.push_back(n.thread < 0 ? "init" : std::to_string(n.thread) + "." + std::to_string(n.place));
    }
    std::map<std::string, std::string> lines;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& n = graph.nodes[i];
      if (n.reads) lines[names[i]] += " rf " + names[n.from];
      if (n.writes && n.thread >= 0) {
        const auto& order = graph.modifications.at(n.object);
        auto at = std::find(order.begin(), order.end(), i);
        lines[names[i]] += " mo " + names[*(at - 1)];
      }
      if (all && n.thread >= 0) lines[names[i]] += ".";
    }
    std::string text;
    for (const auto& [name, line] : lines) text += name + line + "\n";
    for (const auto& [object, order] : graph.locks) {
      text += "locks " + std::to_string(object);
      for (size_t i : order) text += " " + names[i];
      text += "\n";
    }
    return text;
  }

  const ModelProgram& program_;
  std::set<std::string> seen_;
  std::set<std::string> complete_;
};

}  // namespace

std::set<std::string> AllGraphs(const ModelProgram& program) { return Enumeration(program).Run(); }

}  // namespace heddle::explore
