// Which compression a transparent function asks for.
#pragma once

#include <cstdint>

namespace heddle::csp {

// Kid 1 of a kCompress term is one of these.
enum class Compression : uint8_t {
  kNone,      // explicate, lazyenumerate, lazynorm: only made explicit
  kStrong,    // sbisim
  kDelay,     // dbisim: divergence-respecting delay bisimulation
  kWeak,      // wbisim: divergence-respecting weak bisimulation
  kTauLoops,  // tau_loop_factor
  kDiamond,   // diamond
  kNormal,    // normal
  kBest,      // model_compress: the smallest of the others
};

}  // namespace heddle::csp
