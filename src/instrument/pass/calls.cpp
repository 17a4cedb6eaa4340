#include "instrument/pass/calls.h"

#include "instrument/pass/marks.h"

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {

SizedAccess AsSizedAccess(StringRef callee) {
  SizedAccess access;
  if (!callee.consume_front("__tsan_")) return {};
  access.aligned = !callee.consume_front("unaligned_");
  callee.consume_front("volatile_");
  access.write = callee.consume_front("write");
  if (!access.write && !callee.consume_front("read")) return {};
  unsigned bytes = 0;
  if (callee.getAsInteger(10, bytes)) return {};  // a range, or a read and write at once
  access.bytes = bytes;
  return access;
}

bool IsWatched(StringRef callee) {
  if (IsMark(callee)) return true;
  if (!callee.consume_front("__tsan_")) return false;
  callee.consume_front("unaligned_");
  callee.consume_front("volatile_");
  return callee.starts_with("read") || callee.starts_with("write") || callee.starts_with("func_") ||
         callee.starts_with("vptr_");
}

SmallVector<CallInst*, 64> WatchedCalls(iterator_range<Function::iterator> blocks) {
  SmallVector<CallInst*, 64> calls;
  for (BasicBlock& block : blocks) {
    for (Instruction& instruction : block) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      if (IsWatched(call->getCalledFunction()->getName())) calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace heddle::instrument
