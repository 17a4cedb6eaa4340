// The relations that an execution gives to a model, and when they are known: level 0 with the paths that the threads
// take, level 1 with reads-from, level 2 with coherence. Sets of events are the tags of syntax/tags.h, and FW.
#pragma once

#include <optional>
#include <string_view>

namespace heddle::litmus {

enum class Base : int {
  kPo,
  kPoLoc,
  kAddr,
  kData,
  kCtrl,
  kRmw,
  kAmo,
  kLxsx,
  kLoc,
  kVloc,
  kInt,
  kExt,
  kId,
  kSameInstruction,
  kSameAccess,
  kPick,
  kPickAddr,
  kPickCtrl,
  kSameScope,
  kSameCta,
  kSameSubgroup,
  kSameWorkgroup,
  kSameCluster,
  kSameQueueFamily,
  kSameDevice,
  kSameBarrier,
  kSystemSync,
  kCoInit,
  kNothing,
  kRf,
  kRfe,
  kRfi,
  kCo,
  kCoe,
  kCoi,
  kFr,
  kFre,
  kFri,
  kFinalWrites,
  kSyncFence,
};

struct BaseName {
  std::string_view name;
  Base base;
  int level;
};

inline constexpr BaseName kBaseNames[] = {
    {"po", Base::kPo, 0},
    {"po-loc", Base::kPoLoc, 0},
    {"addr", Base::kAddr, 0},
    {"data", Base::kData, 0},
    {"ctrl", Base::kCtrl, 0},
    {"rmw", Base::kRmw, 0},
    {"amo", Base::kAmo, 0},
    {"lxsx", Base::kLxsx, 0},
    {"loc", Base::kLoc, 0},
    {"vloc", Base::kVloc, 0},
    {"int", Base::kInt, 0},
    {"ext", Base::kExt, 0},
    {"id", Base::kId, 0},
    {"si", Base::kSameInstruction, 0},
    {"same-instance", Base::kSameInstruction, 0},
    {"sm", Base::kSameAccess, 0},
    {"pick", Base::kPick, 0},
    {"pick-addr", Base::kPickAddr, 0},
    {"pick-ctrl", Base::kPickCtrl, 0},
    {"sr", Base::kSameScope, 0},
    {"scta", Base::kSameCta, 0},
    {"scluster", Base::kSameCluster, 0},
    {"ssg", Base::kSameSubgroup, 0},
    {"swg", Base::kSameWorkgroup, 0},
    {"sqf", Base::kSameQueueFamily, 0},
    {"sdv", Base::kSameDevice, 0},
    {"syncbar", Base::kSameBarrier, 0},
    {"sync_barrier", Base::kSameBarrier, 0},
    {"ssw", Base::kSystemSync, 0},
    {"co0", Base::kCoInit, 0},
    {"asw", Base::kNothing, 0},
    {"rf", Base::kRf, 1},
    {"rfe", Base::kRfe, 1},
    {"rfi", Base::kRfi, 1},
    {"co", Base::kCo, 2},
    {"coe", Base::kCoe, 2},
    {"coi", Base::kCoi, 2},
    {"fr", Base::kFr, 2},
    {"fre", Base::kFre, 2},
    {"fri", Base::kFri, 2},
    {"FW", Base::kFinalWrites, 2},
    {"sync_fence", Base::kSyncFence, 2},
    {"same-oa", Base::kLoc, 0},  // one output address: nothing is translated here
    // Relations of published models for things that no test here has: always empty.
    {"inv-scope", Base::kNothing, 0},
    {"scl", Base::kNothing, 0},
    {"allocptr", Base::kNothing, 0},
    {"allocmem", Base::kNothing, 0},
    {"crit", Base::kNothing, 0},
    {"rcu-rscs", Base::kNothing, 0},
    {"lo", Base::kNothing, 0},
};

// Relations of published models that executions here do not have, though the tests have what they speak of: accesses to
// registers and the parts of one instruction. Empty ones would make such a model too weak, so they are refused.
inline constexpr std::string_view kNotMade[] = {"rf-reg",     "iico_data", "iico_ctrl",          "iico_order",
                                                "partial_po", "alias",     "same-low-order-bits"};

constexpr std::optional<BaseName> FindBase(std::string_view name) {
  for (const BaseName& base : kBaseNames) {
    if (base.name == name) return base;
  }
  return std::nullopt;
}

}  // namespace heddle::litmus
