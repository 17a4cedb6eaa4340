// Locks of the program's own, made of an atomic variable: found by their shape and shown as calls.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace heddle::deadlock {

// On accesses that belong to such a lock.
inline constexpr const char* kSpinAccess = "heddle.spin";
inline constexpr const char* kSpinLock = "heddle_spin_lock";
inline constexpr const char* kSpinUnlock = "heddle_spin_unlock";

void ShowSpinLocks(llvm::Module& module);

}  // namespace heddle::deadlock
