// What the pass plugin says of atomic inline assembly, and the runtime reads: one number.
#pragma once

#include <cstdint>

namespace heddle {

inline constexpr uint32_t kAssemblyBytes = 0xFF;     // size of the operand: 1, 2, 4, 8, 16
inline constexpr uint32_t kAssemblyLoad = 1U << 8U;  // one of these three
inline constexpr uint32_t kAssemblyStore = 2U << 8U;
inline constexpr uint32_t kAssemblyUpdate = 3U << 8U;
inline constexpr uint32_t kAssemblyKind = 3U << 8U;
inline constexpr uint32_t kAssemblyWaits = 1U << 10U;  // it has a jump: it may wait for another thread

}  // namespace heddle
