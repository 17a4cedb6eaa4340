#include "runtime/threads/shadow_stack.h"

#include "runtime/threads/thread.h"
#include "trace/format.h"

namespace heddle::rt {
namespace {

uint32_t StackPointer() { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(__builtin_frame_address(0))); }

// Whether a frame entered at stack pointer `entered` lies deeper than `now`: its function is gone.
bool IsDeeper(uint32_t entered, uint32_t now) { return static_cast<int32_t>(entered - now) < 0; }

}  // namespace

void FunctionEntry(void* call_pc) {
  Frame* top = t_hot.top;
  if (top == nullptr) {
    if (t_hot.in_runtime != 0 || CurrentThread() == nullptr) return;
    top = t_hot.top;
  }
  uint32_t stack = StackPointer();
  if (top < t_hot.limit) [[likely]] {
    // Callers have their frames above ours; what is not above was left by longjmp.
    while (top > t_hot.bottom && !IsDeeper(stack, top[-1].stack)) --top;
    *top = {reinterpret_cast<uint64_t>(call_pc) & trace::kAddressMask, 0, stack};
  }
  t_hot.top = top + 1;  // beyond the limit only the depth is counted
}

void FunctionExit() {
  Frame* top = t_hot.top;
  if (top <= t_hot.bottom) return;
  if (top <= t_hot.limit) [[likely]] {
    uint32_t stack = StackPointer();
    while (top > t_hot.bottom + 1 && IsDeeper(top[-1].stack, stack)) --top;
  }
  t_hot.top = top - 1;
}

}  // namespace heddle::rt
