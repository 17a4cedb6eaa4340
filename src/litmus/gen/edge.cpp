#include "litmus/gen/edge.h"

#include <algorithm>
#include <map>

#include "base/near.h"

namespace heddle::litmus {
namespace {

struct FenceName {
  std::string_view word;   // in edges: MFence, DMB.SY
  std::string_view code;   // the instruction
  std::string_view shown;  // in names of tests
};

const std::vector<FenceName>& FencesOf(Arch arch) {
  static const std::map<Arch, std::vector<FenceName>> map = {
      {Arch::kX86_64, {{"MFence", "mfence", "mfence"}}},
      {Arch::kX86, {{"MFence", "MFENCE", "mfence"}}},
      {Arch::kAArch64,
       {{"DMB.SY", "DMB SY", "dmb.sy"},
        {"DMB.LD", "DMB LD", "dmb.ld"},
        {"DMB.ST", "DMB ST", "dmb.st"},
        {"DSB.SY", "DSB SY", "dsb.sy"},
        {"ISB", "ISB", "isb"}}},
      {Arch::kRiscv,
       {{"Fence.rw.rw", "fence rw,rw", "fence.rw.rw"},
        {"Fence.r.r", "fence r,r", "fence.r.r"},
        {"Fence.r.w", "fence r,w", "fence.r.w"},
        {"Fence.r.rw", "fence r,rw", "fence.r.rw"},
        {"Fence.w.r", "fence w,r", "fence.w.r"},
        {"Fence.w.w", "fence w,w", "fence.w.w"},
        {"Fence.w.rw", "fence w,rw", "fence.w.rw"},
        {"Fence.rw.r", "fence rw,r", "fence.rw.r"},
        {"Fence.rw.w", "fence rw,w", "fence.rw.w"},
        {"Fence.tso", "fence.tso", "fence.tso"},
        {"Fence.i", "fence.i", "fence.i"}}},
      {Arch::kPpc,
       {{"Sync", "sync", "sync"},
        {"LwSync", "lwsync", "lwsync"},
        {"ISync", "isync", "isync"},
        {"Eieio", "eieio", "eieio"}}},
      {Arch::kC,
       {{"FenceSc", "memory_order_seq_cst", "fencesc"},
        {"FenceAr", "memory_order_acq_rel", "fencear"},
        {"FenceAcqRel", "memory_order_acq_rel", "fencear"},
        {"FenceAcq", "memory_order_acquire", "fenceacq"},
        {"FenceRel", "memory_order_release", "fencerel"}}},
      {Arch::kOpenCl,
       {{"FenceSc", "memory_order_seq_cst", "fencesc"},
        {"FenceAr", "memory_order_acq_rel", "fencear"},
        {"FenceAcqRel", "memory_order_acq_rel", "fencear"},
        {"FenceAcq", "memory_order_acquire", "fenceacq"},
        {"FenceRel", "memory_order_release", "fencerel"}}},
      {Arch::kPtx,
       {{"Fence.sc.cta", "fence.sc.cta", "fence.sc.cta"},
        {"Fence.sc.gpu", "fence.sc.gpu", "fence.sc.gpu"},
        {"Fence.sc.sys", "fence.sc.sys", "fence.sc.sys"},
        {"Fence.acq_rel.cta", "fence.acq_rel.cta", "fence.ar.cta"},
        {"Fence.acq_rel.gpu", "fence.acq_rel.gpu", "fence.ar.gpu"},
        {"Fence.acq_rel.sys", "fence.acq_rel.sys", "fence.ar.sys"},
        {"Membar.cta", "membar.cta", "membar.cta"},
        {"Membar.gl", "membar.gl", "membar.gl"},
        {"Membar.sys", "membar.sys", "membar.sys"}}},
      {Arch::kGpuPtx,
       {{"Membar.cta", "membar.cta", "membar.cta"},
        {"Membar.gl", "membar.gl", "membar.gl"},
        {"Membar.sys", "membar.sys", "membar.sys"}}},
  };
  static const std::vector<FenceName> none;
  auto found = map.find(arch);
  return found == map.end() ? none : found->second;
}

// The instruction that makes a control dependency hold for reads too, where there is one. RISC-V's does not in its
// model; tests have it all the same.
std::string_view IsyncOf(Arch arch) {
  switch (arch) {
    case Arch::kPpc:
      return "isync";
    case Arch::kAArch64:
      return "ISB";
    case Arch::kRiscv:
      return "fence.i";
    default:
      return "";
  }
}

// Orders that an access can have, and which kind of access; P is plain.
struct OrderName {
  std::string_view word;
  std::string_view kinds;
};
const std::vector<OrderName>& OrdersOf(Arch arch) {
  static const std::map<Arch, std::vector<OrderName>> map = {
      {Arch::kAArch64, {{"A", "R"}, {"Q", "R"}, {"L", "W"}, {"P", "RW"}}},
      {Arch::kC, {{"Rlx", "RW"}, {"Acq", "R"}, {"Rel", "W"}, {"Sc", "RW"}, {"P", "RW"}}},
      {Arch::kOpenCl, {{"Rlx", "RW"}, {"Acq", "R"}, {"Rel", "W"}, {"Sc", "RW"}, {"P", "RW"}}},
      {Arch::kPtx, {{"Rlx", "RW"}, {"Acq", "R"}, {"Rel", "W"}, {"P", "RW"}}},
  };
  static const std::vector<OrderName> none;
  auto found = map.find(arch);
  return found == map.end() ? none : found->second;
}

bool HasDependencies(Arch arch) { return arch != Arch::kX86 && arch != Arch::kX86_64 && arch != Arch::kOpenCl; }

Edge Communication(EdgeKind kind, bool external) {
  Edge edge;
  edge.kind = kind;
  edge.external = external;
  edge.same_location = true;
  edge.from = kind == EdgeKind::kFr ? 'R' : 'W';
  edge.to = kind == EdgeKind::kRf ? 'R' : 'W';
  edge.name = std::string(kind == EdgeKind::kRf ? "Rf" : kind == EdgeKind::kFr ? "Fr" : "Co") + (external ? "e" : "i");
  if (!external) edge.shown = kind == EdgeKind::kRf ? "rfi" : kind == EdgeKind::kFr ? "fri" : "coi";
  return edge;
}

// The rest of a word: d or s, then the directions, all of them when they are not said.
std::vector<Edge> Directions(const Edge& base, std::string_view rest, std::string_view froms) {
  std::vector<Edge> edges;
  std::string places = "ds";
  if (!rest.empty() && (rest[0] == 'd' || rest[0] == 's')) {
    places = rest.substr(0, 1);
    rest.remove_prefix(1);
  } else if (rest.empty()) {
    places = "d";
  }
  if (!rest.empty() && rest.size() != 2 && froms.size() == 2) return {};
  for (char place : places) {
    for (char from : froms) {
      for (char to : {'R', 'W'}) {
        if (rest.size() == 2 && (rest[0] != from || rest[1] != to)) continue;
        if (rest.size() == 1 && rest[0] != to) continue;
        if (rest.size() > 2) continue;
        Edge edge = base;
        edge.from = from;
        edge.to = to;
        edge.same_location = place == 's';
        edge.name = base.name + place + (froms.size() == 2 ? std::string(1, from) : "") + to;
        if (edge.same_location && base.shown == "po") edge.shown = "pos";
        if (base.kind == EdgeKind::kData && to == 'R') continue;
        edges.push_back(std::move(edge));
      }
    }
  }
  return edges;
}

// gl2, sl1: space and cache level of an access. Takes them from the front of the word.
bool TakeAccess(std::string_view& word, char* space, char* cache) {
  if (space != nullptr) {
    if (word.empty() || (word[0] != 'g' && word[0] != 's')) return false;
    *space = word[0];
    word.remove_prefix(1);
  }
  if (word.size() < 2 || word[0] != 'l' || (word[1] != '1' && word[1] != '2')) return false;
  *cache = word[1];
  word.remove_prefix(2);
  return true;
}

// Po-d-Wgl2-Rgl2 and Fr-c-gl2l2 of the thesis's generator (A.1): program order between accesses of a space and a cache
// level, and communication between threads of different warps (w), CTAs (c) or kernels (k).
std::vector<Edge> ThesisEdge(std::string_view word) {
  std::string_view rest = word;
  if (rest.size() < 6 || rest[2] != '-' || rest[4] != '-') return {};
  std::string_view kind = rest.substr(0, 2);
  char middle = rest[3];
  rest.remove_prefix(5);
  if (kind == "Po") {
    Edge edge;
    edge.from = rest[0];
    edge.same_location = middle == 's';
    rest.remove_prefix(1);
    if (!TakeAccess(rest, &edge.from_space, &edge.from_cache) || rest.size() < 2 || rest[0] != '-') return {};
    edge.to = rest[1];
    rest.remove_prefix(2);
    auto direction = [](char c) { return c == 'R' || c == 'W'; };
    if (!TakeAccess(rest, &edge.to_space, &edge.to_cache) || !rest.empty() || !direction(edge.from) ||
        !direction(edge.to) || (middle != 'd' && middle != 's')) {
      return {};
    }
    edge.name = word;
    edge.shown = edge.same_location ? "pos" : "po";
    // Level 2 of global memory is what tests have when nothing is said.
    auto shown = [](char space, char cache) {
      return space == 'g' && cache == '2' ? std::string() : std::string{space, 'l', cache};
    };
    std::string from = shown(edge.from_space, edge.from_cache);
    std::string to = shown(edge.to_space, edge.to_cache);
    if (!from.empty() || !to.empty())
      edge.shown += "." + (from.empty() ? "gl2" : from) + "." + (to.empty() ? "gl2" : to);
    return {edge};
  }
  if (kind != "Rf" && kind != "Fr" && kind != "Ws" && kind != "Co") return {};
  Edge edge = Communication(kind == "Rf" ? EdgeKind::kRf : kind == "Fr" ? EdgeKind::kFr : EdgeKind::kCo, true);
  edge.name = word;
  edge.apart = middle;
  if ((middle != 'w' && middle != 'c' && middle != 'k') || !TakeAccess(rest, &edge.from_space, &edge.from_cache) ||
      !TakeAccess(rest, nullptr, &edge.to_cache) || !rest.empty()) {
    return {};
  }
  edge.to_space = edge.from_space;
  return {edge};
}

// PodWR with annotations on its ends: PodWRRelAcq, or a word for each: handled as suffixes.
void AddOrders(Arch arch, std::string_view& word, std::string& from, std::string& to) {
  std::vector<std::string> found;
  bool more = true;
  while (more && found.size() < 2) {
    more = false;
    for (const OrderName& order : OrdersOf(arch)) {
      if (word.size() <= order.word.size() + 2 || !word.ends_with(order.word)) continue;
      found.insert(found.begin(), std::string(order.word));
      word.remove_suffix(order.word.size());
      more = true;
      break;
    }
  }
  if (found.size() == 2) from = found[0];
  if (!found.empty()) to = found.back();
  if (found.size() == 2) to = found[1];
}

std::vector<Edge> Base(Arch arch, std::string_view word) {
  static const std::map<std::string_view, std::pair<EdgeKind, bool>> kComs = {
      {"Rfe", {EdgeKind::kRf, true}},  {"Rfi", {EdgeKind::kRf, false}}, {"Fre", {EdgeKind::kFr, true}},
      {"Fri", {EdgeKind::kFr, false}}, {"Coe", {EdgeKind::kCo, true}},  {"Coi", {EdgeKind::kCo, false}},
      {"Wse", {EdgeKind::kCo, true}},  {"Wsi", {EdgeKind::kCo, false}}};
  if (auto com = kComs.find(word); com != kComs.end()) return {Communication(com->second.first, com->second.second)};
  if (arch == Arch::kGpuPtx) {
    std::vector<Edge> edges = ThesisEdge(word);
    if (!edges.empty()) return edges;
  }
  Edge base;
  if (word == "Amo" || word == "Rmw" || word == "LxSx") {
    bool pair = word == "LxSx" || (word == "Rmw" && arch == Arch::kPpc);
    base.kind = pair ? EdgeKind::kLxSx : EdgeKind::kAmo;
    base.from = 'R';
    base.to = 'W';
    base.same_location = true;
    base.name = pair ? "LxSx" : "Amo";
    base.shown = pair ? "lxsx" : "amo";
    return {base};
  }
  if (word.starts_with("Po")) {
    base.name = "Po";
    base.shown = "po";
    return Directions(base, word.substr(2), "RW");
  }
  if (word.starts_with("Dp") && HasDependencies(arch)) {
    struct Dep {
      std::string_view word;
      EdgeKind kind;
      std::string_view shown;
      std::string_view fence;
    };
    std::string_view isync = IsyncOf(arch);
    const Dep deps[] = {{"CtrlFencei", EdgeKind::kCtrlFence, "ctrlfencei", isync},
                        {"CtrlIsync", EdgeKind::kCtrlFence, "ctrlisync", isync},
                        {"CtrlISB", EdgeKind::kCtrlFence, "ctrlisb", isync},
                        {"Addr", EdgeKind::kAddr, "addr", ""},
                        {"Data", EdgeKind::kData, "data", ""},
                        {"Ctrl", EdgeKind::kCtrl, "ctrl", ""}};
    for (const Dep& dep : deps) {
      if (!word.substr(2).starts_with(dep.word)) continue;
      if (dep.kind == EdgeKind::kCtrlFence && isync.empty()) continue;
      base.kind = dep.kind;
      base.name = "Dp" + std::string(dep.word);
      base.shown = dep.shown;
      base.fence = dep.fence;
      return Directions(base, word.substr(2 + dep.word.size()), "R");
    }
    return {};
  }
  for (const FenceName& fence : FencesOf(arch)) {
    if (!word.starts_with(fence.word)) continue;
    base.kind = EdgeKind::kFence;
    base.name = fence.word;
    base.fence = fence.code;
    base.shown = fence.shown;
    std::vector<Edge> edges = Directions(base, word.substr(fence.word.size()), "RW");
    if (!edges.empty()) return edges;
  }
  return {};
}

}  // namespace

Result<std::vector<Edge>> ParseEdge(Arch arch, std::string_view word) {
  std::vector<Edge> edges = Base(arch, word);
  if (edges.empty()) {
    std::string from;
    std::string to;
    std::string_view rest = word;
    AddOrders(arch, rest, from, to);
    if (rest != word) edges = Base(arch, rest);
    for (Edge& edge : edges) {
      edge.from_order = from;
      edge.to_order = to;
      edge.name += from + to;
    }
  }
  if (!edges.empty()) return edges;
  std::vector<std::string> known = {"PodWR",    "PodWW",    "PodRR",    "PodRW",    "Rfe",     "Fre",
                                    "Coe",      "Rfi",      "Fri",      "Coi",      "Amo",     "LxSx",
                                    "DpAddrdR", "DpAddrdW", "DpDatadW", "DpCtrldR", "DpCtrldW"};
  for (const FenceName& fence : FencesOf(arch)) known.push_back(std::string(fence.word) + "dWR");
  std::vector<std::string_view> views(known.begin(), known.end());
  std::string hint = DidYouMean(word, views);
  return MakeError(ErrorCode::kUsage, "`" + std::string(word) + "` is not an edge for " + std::string(ArchName(arch)) +
                                          (hint.empty() ? "" : "; " + hint));
}

std::vector<std::string> DefaultEdges(Arch arch) {
  std::vector<std::string> edges = {"Rfe", "Fre", "Coe", "Podd"};
  edges.back() = "Pod";
  switch (arch) {
    case Arch::kX86:
    case Arch::kX86_64:
      edges.insert(edges.end(), {"MFenced", "Rfi", "Pos"});
      break;
    case Arch::kAArch64:
      edges.insert(edges.end(), {"DMB.SYd", "DMB.LDd", "DMB.STd", "DpAddrd", "DpDatad", "DpCtrld", "DpCtrlISBd"});
      break;
    case Arch::kRiscv:
      edges.insert(edges.end(), {"Fence.rw.rwd", "Fence.tsod", "DpAddrd", "DpDatad", "DpCtrld"});
      break;
    case Arch::kPpc:
      edges.insert(edges.end(), {"Syncd", "LwSyncd", "DpAddrd", "DpDatad", "DpCtrld", "DpCtrlIsyncd"});
      break;
    case Arch::kC:
    case Arch::kOpenCl:
      edges.insert(edges.end(), {"FenceScd", "PodWWRlxRel", "PodRRAcqRlx", "PodRWAcqRel", "PodWRScSc"});
      break;
    case Arch::kPtx:
      edges.insert(edges.end(), {"Fence.sc.gpud", "Fence.acq_rel.ctad", "PodWWRlxRel", "PodRRAcqRlx"});
      break;
    case Arch::kGpuPtx:
      edges.insert(edges.end(), {"Membar.ctad", "Membar.gld", "DpAddrd"});
      break;
    default:
      break;
  }
  return edges;
}

}  // namespace heddle::litmus
