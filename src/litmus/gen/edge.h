// Edges of critical cycles: what relates an access to the next one. A cycle of such edges cannot happen under
// sequential consistency; the test that is made from it asks whether it can happen all the same (Alglave, Maranget,
// Sarkar, Sewell, "Fences in weak memory models", CAV 2010).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "litmus/syntax/test.h"

namespace heddle::litmus {

enum class EdgeKind { kPo, kFence, kAddr, kData, kCtrl, kCtrlFence, kRf, kFr, kCo, kAmo, kLxSx };

struct Edge {
  EdgeKind kind = EdgeKind::kPo;
  char from = 'W';
  char to = 'W';
  bool external = false;  // between threads
  bool same_location = false;
  std::string fence;       // mnemonic, for kFence and kCtrlFence
  std::string name;        // PodWR, MFencedWR, Rfe
  std::string shown;       // in names of tests: po, mfence, addr; empty for communication
  std::string from_order;  // annotation of its source and target: Acq, Rel, Sc, ... empty: plain
  std::string to_order;
  // Edges of GPU_PTX: cache level ('1', '2') and space ('g', 's') of the source and of the target, and which threads it
  // relates: 'w' of different warps, 'c' of different CTAs, 'k' of different kernels. 0: not said.
  char from_cache = 0, to_cache = 0;
  char from_space = 0, to_space = 0;
  char apart = 0;
  bool operator==(const Edge& other) const { return name == other.name && from == other.from && to == other.to; }
};

// The edges that a word stands for on this architecture: PodWR is one, Po or MFence are several (all directions).
// kBadInput with the nearest word when it is none.
Result<std::vector<Edge>> ParseEdge(Arch arch, std::string_view word);
// A list that gives the classical families.
std::vector<std::string> DefaultEdges(Arch arch);

}  // namespace heddle::litmus
