// Functions that hand something over from one thread to another: semaphores, latches, barriers, results of promises
// (locksets/handoffs.h).
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>

namespace heddle::deadlock {

enum class HandoffKind : uint8_t {
  kAny,    // one release is enough to pass
  kAll,    // all are needed
  kRound,  // threads meet
  kLock,   // a semaphore that begins at 1
};
enum class HandoffRole : uint8_t { kInit, kRelease, kAcquire, kMeet, kSpoil };

// What a function does to the variable that its first argument points to.
struct HandoffOperation {
  HandoffRole role;
  HandoffKind kind;
  int count = -1;  // the argument with the number; of a release: it must be 1
};
std::optional<HandoffOperation> HandoffOperationOf(llvm::StringRef function);

// Whether it is part of how the C++ library makes such things.
bool MakesHandoffs(llvm::StringRef function);

}  // namespace heddle::deadlock
