#include "deadlock/input/handoff_names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <algorithm>

#include "deadlock/input/handoff_code.h"

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

static bool BeginsWith(llvm::StringRef name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* one) { return name.starts_with(one); });
}

bool MakesHandoffs(llvm::StringRef name) {
  return HandoffOperationOf(name) ||
         BeginsWith(name, {"_ZNSt14__tree_barrier", "_ZNKSt14__tree_barrier", "_ZNSt7barrierI", "_ZNKSt7barrierI",
                           "_ZNSt5latch", "_ZNKSt5latch", "_ZNSt18counting_semaphoreI", "_ZNKSt18counting_semaphoreI",
                           "_ZNSt18__atomic_semaphore", "_ZNKSt18__atomic_semaphore"});
}

bool IsHandoffCode(const llvm::Instruction& at) {
  if (!MakesHandoffs(at.getFunction()->getName())) return false;
  const llvm::DILocation* place = at.getDebugLoc().get();
  const llvm::DISubprogram* written = place == nullptr ? nullptr : place->getScope()->getSubprogram();
  return written == nullptr || BeginsWith(written->getLinkageName(), {"_ZNSt", "_ZNKSt", "_ZSt", "_ZZNSt", "_ZZNKSt"});
}

}  // namespace heddle::deadlock
