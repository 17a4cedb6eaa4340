// What heddle does for functions that a thread calls and its object does not have: locks, and the few of the C library
// that compilers call by themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::refine {

enum class StubAction : uint8_t { kLock, kUnlock, kCopy, kSet, kCompare, kLength, kTrap };

struct StubInfo {
  std::string_view name;
  StubAction action;
};

inline constexpr std::array kStubs = {
    StubInfo{"pthread_mutex_lock", StubAction::kLock},
    StubInfo{"pthread_mutex_unlock", StubAction::kUnlock},
    StubInfo{"pthread_spin_lock", StubAction::kLock},
    StubInfo{"pthread_spin_unlock", StubAction::kUnlock},
    StubInfo{"mtx_lock", StubAction::kLock},
    StubInfo{"mtx_unlock", StubAction::kUnlock},
    StubInfo{"memcpy", StubAction::kCopy},
    StubInfo{"memmove", StubAction::kCopy},
    StubInfo{"memset", StubAction::kSet},
    StubInfo{"memcmp", StubAction::kCompare},
    StubInfo{"bcmp", StubAction::kCompare},
    StubInfo{"strlen", StubAction::kLength},
    StubInfo{"abort", StubAction::kTrap},
    StubInfo{"__stack_chk_fail", StubAction::kTrap},
    StubInfo{"__assert_fail", StubAction::kTrap},
};

inline const StubInfo* FindStub(std::string_view name) {
  for (const StubInfo& stub : kStubs) {
    if (stub.name == name) return &stub;
  }
  return nullptr;
}

}  // namespace heddle::refine
