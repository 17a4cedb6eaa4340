#include "deadlock/input/handoff_names.h"

namespace heddle::deadlock {

std::optional<HandoffOperation> HandoffOperationOf(llvm::StringRef name) {
  using Kind = HandoffKind;
  using Role = HandoffRole;
  if (name == "sem_init") return HandoffOperation{Role::kInit, Kind::kAny, 2};
  if (name == "sem_wait") return HandoffOperation{Role::kAcquire, Kind::kAny};
  if (name == "sem_post") return HandoffOperation{Role::kRelease, Kind::kAny};
  if (name == "pthread_barrier_init") return HandoffOperation{Role::kInit, Kind::kRound, 2};
  if (name == "pthread_barrier_wait") return HandoffOperation{Role::kMeet, Kind::kRound};
  if (name.starts_with("_ZNSt18counting_semaphoreI")) {
    if (name.ends_with("C2El") || name.ends_with("C1El")) return HandoffOperation{Role::kInit, Kind::kAny, 1};
    if (name.ends_with("7acquireEv")) return HandoffOperation{Role::kAcquire, Kind::kAny};
    if (name.ends_with("7releaseEl")) return HandoffOperation{Role::kRelease, Kind::kAny};
  }
  // The other members of a latch are always inlined: its counter is a flag that goes down to 0.
  if (name.starts_with("_ZSt21__atomic_wait_address") && name.contains("NKSt5latch4waitEv"))
    return HandoffOperation{Role::kAcquire, Kind::kAll};
  if (name.starts_with("_ZNSt7barrierI") || name.starts_with("_ZNKSt7barrierI")) {
    if (name.contains("EC2El") || name.contains("EC1El")) return HandoffOperation{Role::kInit, Kind::kRound, 1};
    if (name.ends_with("15arrive_and_waitEv")) return HandoffOperation{Role::kMeet, Kind::kRound};
    if (!name.ends_with("D2Ev") && !name.ends_with("D1Ev")) return HandoffOperation{Role::kSpoil, Kind::kRound};
  }
  if (name.starts_with("_ZNSt13__future_base13_State_baseV2")) {
    if (name.contains("13_M_set_result") || name.contains("21_M_set_delayed_result") ||
        name.contains("16_M_break_promise"))
      return HandoffOperation{Role::kRelease, Kind::kAny};
    if (name.ends_with("4waitEv")) return HandoffOperation{Role::kAcquire, Kind::kAny};
  }
  return std::nullopt;
}

bool MakesHandoffs(llvm::StringRef name) {
  return HandoffOperationOf(name) || name.contains("St14__tree_barrier") || name.contains("NSt7barrierI") ||
         name.contains("NSt5latch") || name.contains("NSt18counting_semaphoreI") ||
         name.contains("NSt18__atomic_semaphore");
}

}  // namespace heddle::deadlock
