#include "instrument/pass/tbb_tasks.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

using namespace llvm;  // NOLINT: LLVM code reads best so

namespace heddle::instrument {

void AcquireTask(Function& function) {
  StringRef name = function.getName();
  if (!name.contains("14execution_dataE") || function.arg_size() != 2) return;
  std::string full = demangle(name);
  StringRef text(full);
  if (!text.ends_with("::execute(tbb::detail::d1::execution_data&)") &&
      !text.ends_with("::cancel(tbb::detail::d1::execution_data&)")) {
    return;
  }
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  FunctionCallee acquire = function.getParent()->getOrInsertFunction("__tsan_acquire", builder.getVoidTy(),
                                                                     PointerType::getUnqual(function.getContext()));
  builder.CreateCall(acquire, {function.getArg(0)});
}

}  // namespace heddle::instrument
