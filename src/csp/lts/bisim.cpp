// Strong bisimulation by partition refinement.
//
// All states begin in one block. The signature of a state is the set of its (event, block of the target) pairs. A block
// whose states have several signatures is split; the largest part keeps the block's number. Only states with an edge
// into a part that got a new number are looked at again, so each edge is looked at a logarithmic number of times
// (Valmari and Franceschinis, "Simple O(m log n) Time Markov Chain Lumping", 2010, without the weights). The test
// compares it with the naive fixpoint.
#include "csp/lts/bisim.h"

#include <algorithm>

namespace heddle::csp {
namespace {

using Signature = std::vector<std::pair<EventId, uint32_t>>;

class Refinement {
 public:
  explicit Refinement(const ExplicitLts& lts) : lts_(lts), block_(lts.states.size(), 0), before_(lts.states.size()) {
    for (uint32_t s = 0; s < lts.states.size(); ++s) {
      for (const ExplicitLts::Edge& edge : lts.states[s]) {
        if (edge.event != kTick) before_[edge.target].push_back(s);
      }
    }
    for (uint32_t s = 0; s < lts.states.size(); ++s) order_.push_back(s);
    place_ = dirty_ = order_;
    ranges_.push_back({0, static_cast<uint32_t>(order_.size())});
  }

  std::vector<uint32_t> Run(const std::function<void()>& poll) {
    while (!dirty_.empty()) {
      if (poll) poll();
      Round();
    }
    return Numbered();
  }

 private:
  struct Range {
    uint32_t begin;
    uint32_t end;
  };

  Signature SignatureOf(uint32_t s) const {
    Signature signature;
    for (const ExplicitLts::Edge& edge : lts_.states[s]) {
      // A state after tick does nothing; all of them are one.
      signature.emplace_back(edge.event, edge.event == kTick ? 0 : block_[edge.target]);
    }
    std::sort(signature.begin(), signature.end());
    signature.erase(std::unique(signature.begin(), signature.end()), signature.end());
    return signature;
  }

  struct Entry {
    uint32_t block;
    uint64_t hash;  // of the signature, so that most comparisons end early
    uint32_t state;
    Signature signature;

    bool SameAs(const Entry& o) const { return block == o.block && hash == o.hash && signature == o.signature; }
    bool operator<(const Entry& o) const {
      if (block != o.block) return block < o.block;
      if (hash != o.hash) return hash < o.hash;
      return signature != o.signature ? signature < o.signature : state < o.state;
    }
  };

  Entry EntryOf(uint32_t s) const {
    Entry entry{block_[s], 0, s, SignatureOf(s)};
    for (const auto& [event, block] : entry.signature) {
      entry.hash = (entry.hash ^ (uint64_t{event} << 32 | block)) * 0x9E3779B97F4A7C15u;
      entry.hash ^= entry.hash >> 29;
    }
    return entry;
  }

  void Round() {
    std::vector<Entry> entries;
    entries.reserve(dirty_.size());
    for (uint32_t s : dirty_) entries.push_back(EntryOf(s));
    std::sort(entries.begin(), entries.end());
    dirty_.clear();
    std::vector<uint32_t> moved;
    std::vector<std::vector<uint32_t>> groups;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i == 0 || !entries[i].SameAs(entries[i - 1])) groups.emplace_back();
      groups.back().push_back(entries[i].state);
      bool last = i + 1 == entries.size() || entries[i + 1].block != entries[i].block;
      if (!last) continue;
      Split(entries[i].block, groups, moved);
      groups.clear();
    }
    for (uint32_t s : moved) dirty_.insert(dirty_.end(), before_[s].begin(), before_[s].end());
    std::sort(dirty_.begin(), dirty_.end());
    dirty_.erase(std::unique(dirty_.begin(), dirty_.end()), dirty_.end());
  }

  // The states of a block stand together in order_. Those that were looked at again go to the front, group by group;
  // the rest still agree with each other, and with none of these.
  void Split(uint32_t block, const std::vector<std::vector<uint32_t>>& groups, std::vector<uint32_t>& moved) {
    Range whole = ranges_[block];
    std::vector<Range> parts;
    uint32_t at = whole.begin;
    for (const std::vector<uint32_t>& states : groups) {
      uint32_t begin = at;
      for (uint32_t s : states) Put(s, at++);
      parts.push_back({begin, at});
    }
    if (at < whole.end) parts.push_back({at, whole.end});
    if (parts.size() == 1) return;
    auto size = [](const Range& r) { return r.end - r.begin; };
    auto largest =
        std::max_element(parts.begin(), parts.end(), [&](const Range& a, const Range& b) { return size(a) < size(b); });
    ranges_[block] = *largest;
    parts.erase(largest);
    for (const Range& part : parts) {
      uint32_t fresh = static_cast<uint32_t>(ranges_.size());
      ranges_.push_back(part);
      for (uint32_t i = part.begin; i < part.end; ++i) {
        block_[order_[i]] = fresh;
        moved.push_back(order_[i]);
      }
    }
  }

  void Put(uint32_t state, uint32_t at) {
    uint32_t other = order_[at];
    std::swap(order_[at], order_[place_[state]]);
    std::swap(place_[state], place_[other]);
  }

  // Numbers in the order of the first member, so that the first state's class is 0.
  std::vector<uint32_t> Numbered() const {
    std::vector<uint32_t> name(ranges_.size(), ~0u);
    std::vector<uint32_t> classes(block_.size());
    uint32_t next = 0;
    for (size_t s = 0; s < block_.size(); ++s) {
      if (name[block_[s]] == ~0u) name[block_[s]] = next++;
      classes[s] = name[block_[s]];
    }
    return classes;
  }

  const ExplicitLts& lts_;
  std::vector<uint32_t> block_;
  std::vector<std::vector<uint32_t>> before_;
  std::vector<Range> ranges_;    // of each block, in order_
  std::vector<uint32_t> order_;  // the states, block by block
  std::vector<uint32_t> place_;  // of each state, in order_
  std::vector<uint32_t> dirty_;
};

}  // namespace

std::vector<uint32_t> BisimulationClasses(const ExplicitLts& lts, const std::function<void()>& poll) {
  return Refinement(lts).Run(poll);
}

ExplicitLts Quotient(const ExplicitLts& lts, const std::vector<uint32_t>& classes, bool drop_inner_taus) {
  ExplicitLts result;
  uint32_t count = 0;
  for (uint32_t c : classes) count = std::max(count, c + 1);
  result.states.resize(count);
  for (size_t s = 0; s < classes.size(); ++s) {
    std::vector<ExplicitLts::Edge>& edges = result.states[classes[s]];
    for (const ExplicitLts::Edge& edge : lts.states[s]) {
      ExplicitLts::Edge mapped{edge.event, edge.event == kTick ? 0 : classes[edge.target]};
      bool inner = drop_inner_taus && edge.event == kTau && mapped.target == classes[s] && edge.target != s;
      if (!inner) edges.push_back(mapped);
    }
  }
  for (auto& edges : result.states) SortEdges(edges);
  return result;
}

void SortEdges(std::vector<ExplicitLts::Edge>& edges) {
  auto key = [](const ExplicitLts::Edge& e) { return std::pair(e.event, e.target); };
  std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  edges.erase(std::unique(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
              edges.end());
}

}  // namespace heddle::csp
