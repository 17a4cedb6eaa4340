#include "runtime/intercept/kept_stack.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/raw_syscall.h"

namespace heddle::rt {
namespace {

constexpr uint32_t kKeptStacks = 64;
constexpr size_t kGuardBytes = 4096;
// At fixed places: a replay has to give the same addresses, whatever else was mapped before.
constexpr uint64_t kStacksBegin = uint64_t{0x5000} << 32U;
constexpr uint64_t kStackRoom = uint64_t{1} << 26U;  // for each; larger ones are libc's
uint32_t g_kept = 0;                                 // changed by the thread that has the turn

// Whether the program provides the stack. Where it does not, libc says that it ends at address 0.
bool GivesStack(const pthread_attr_t* attributes) {
  void* low = nullptr;
  size_t bytes = 0;
  if (attributes == nullptr || pthread_attr_getstack(attributes, &low, &bytes) != 0) return false;
  return reinterpret_cast<uint64_t>(low) + bytes != 0;
}

// With a page below it that nobody may touch. Null: none is to be had.
char* MapStack(size_t bytes) {
  if (bytes > kStackRoom - kGuardBytes) return nullptr;
  uint64_t low = kStacksBegin + g_kept * kStackRoom;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE;
  long at = Sys(SYS_mmap, low, bytes + kGuardBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0L);
  if (at != static_cast<long>(low)) return nullptr;
  Sys(SYS_mprotect, low, kGuardBytes, PROT_NONE);
  ++g_kept;
  return reinterpret_cast<char*>(low + kGuardBytes);  // NOLINT: a chosen address
}

}  // namespace

const pthread_attr_t* WithKeptStack(const pthread_attr_t* attributes, pthread_attr_t* room, Thread* thread) {
  thread->given_stack = GivesStack(attributes);
  if (thread->given_stack || g_kept == kKeptStacks) return attributes;
  // A copy without libc's knowledge: what it points at stays the original's, and it is not destroyed.
  if (attributes == nullptr) {
    pthread_attr_init(room);
  } else {
    *room = *attributes;
  }
  size_t bytes = 0;
  if (pthread_attr_getstacksize(room, &bytes) != 0) return attributes;
  bytes = (bytes + kGuardBytes - 1) & ~(kGuardBytes - 1);
  char* low = MapStack(bytes);
  if (low == nullptr || pthread_attr_setstack(room, low, bytes) != 0) return attributes;
  thread->fresh_stack = true;
  thread->stack_low = reinterpret_cast<uint64_t>(low);
  thread->stack_bytes = bytes;
  return room;
}

}  // namespace heddle::rt
