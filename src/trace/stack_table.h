// Calls that led somewhere, shared as a tree: number 0 is "unknown or outermost".
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::trace {

class StackTable {
 public:
  StackTable() : nodes_{{0, 0}} {}

  // The node of a call at `call_pc` (the return address in the caller) below `parent`; the same for the same pair.
  uint32_t Add(uint32_t parent, uint64_t call_pc) {
    auto [found, added] = index_.try_emplace({parent, call_pc}, static_cast<uint32_t>(nodes_.size()));
    if (added) nodes_.push_back({parent, call_pc});
    return found->second;
  }

  uint32_t Parent(uint32_t node) const { return node < nodes_.size() ? nodes_[node].parent : 0; }
  uint64_t CallPc(uint32_t node) const { return node < nodes_.size() ? nodes_[node].call_pc : 0; }

  // Innermost call first.
  std::vector<uint64_t> Pcs(uint32_t node) const {
    std::vector<uint64_t> pcs;
    for (; node != 0 && node < nodes_.size(); node = nodes_[node].parent) pcs.push_back(nodes_[node].call_pc);
    return pcs;
  }
  size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    uint32_t parent;
    uint64_t call_pc;
    bool operator==(const Node&) const = default;
  };
  struct Hash {
    size_t operator()(const Node& node) const {
      return static_cast<size_t>((node.call_pc ^ uint64_t{node.parent} << 40U) * 0x9E3779B97F4A7C15ULL);
    }
  };
  std::vector<Node> nodes_;
  std::unordered_map<Node, uint32_t, Hash> index_;
};

}  // namespace heddle::trace
