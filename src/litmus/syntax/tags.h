// The words that events of a test carry: kinds, orders, scopes, fences. The names are those of the published models,
// so that a model can speak of W, Acq, DMB.SY or SEMSC0 whatever the test is. A name that no event carries is an empty
// set, a name that is not here is an error in the model.
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace heddle::litmus {

inline constexpr std::string_view kTagNames[] = {
    // Kinds.
    "R",
    "W",
    "F",
    "M",
    "IW",
    "RMW",
    "B",
    "BR",
    "CBAR",
    "ARRIVE",
    "EX",
    "X",
    "A",
    "L",
    "Q",
    "P",
    "NoRet",
    // Orders of RISC-V, of C and of the GPU languages.
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "CON",
    "NA",
    "NAL",
    "WEAK",
    // Scopes, address spaces, proxies.
    "CTA",
    "GPU",
    "SYS",
    "WI",
    "WG",
    "DV",
    "ALL",
    "SG",
    "QF",
    "GLOBAL",
    "LOCAL",
    "SHARED",
    "GEN",
    "SUR",
    "TEX",
    "ALIAS",
    "EF",
    "XF",
    "ATOM",
    "AV",
    "VIS",
    "SEMAV",
    "SEMVIS",
    "SC0",
    "SC1",
    "SEMSC0",
    "SEMSC1",
    "NONPRIV",
    "AVDEVICE",
    "VISDEVICE",
    // Fences.
    "MFENCE",
    "SFENCE",
    "LFENCE",
    "SYNC",
    "LWSYNC",
    "ISYNC",
    "EIEIO",
    "ISB",
    "DMB.SY",
    "DMB.LD",
    "DMB.ST",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.NSH",
    "DMB.NSHLD",
    "DMB.NSHST",
    "DSB.SY",
    "DSB.LD",
    "DSB.ST",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.NSH",
    "DSB.NSHLD",
    "DSB.NSHST",
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
    "MEMBAR.CTA",
    "MEMBAR.GL",
    "MEMBAR.SYS",
    // Names of published models for things that no test here has: always empty.
    "LK",
    "UL",
    "LS",
    "LKW",
    "LKR",
    "RU",
    "LF",
    "RL",
    "UB",
    "ALLOC",
    "FREE",
    "TLBI",
    "TTD",
    "PTE",
    "PTEV",
    "IC",
    "DC",
    "DC.CVAU",
    "DC.CIVAC",
    "NExp",
    "Imp",
    "T",
    "TagLoc",
    "FAULT",
    "Fault",
    "MMU",
    "Translation",
    "TagCheck",
    "Instr",
    "Restricted-CMODX",
    "NDATA",
    "NDMB.ST",
    "DATA",
    "HU",
    "HUD",
    "ContextSync",
    "CSE",
    "EXC-ENTRY",
    "EXC-RET",
    "SVC",
    "ERET",
    "UDF",
    "nTLBI",
    "DSB",
    "GETEPC",
    "NPAGE",
    "PACK",
    "MSR",
    "SRS",
    "VRS",
    "AF",
    "DB",
    "SPURIOUS",
};
inline constexpr size_t kTagCount = sizeof(kTagNames) / sizeof(kTagNames[0]);

using Tag = unsigned char;
using TagSet = std::bitset<kTagCount>;
static_assert(kTagCount < 256);

constexpr std::optional<Tag> FindTag(std::string_view name) {
  for (size_t i = 0; i < kTagCount; ++i) {
    if (kTagNames[i] == name) return static_cast<Tag>(i);
  }
  return std::nullopt;
}

// For names that are written in the program: a wrong one does not compile.
consteval Tag TagOf(std::string_view name) { return FindTag(name).value(); }

inline TagSet Tags(std::initializer_list<Tag> tags) {
  TagSet result;
  for (Tag tag : tags) result.set(tag);
  return result;
}

}  // namespace heddle::litmus
