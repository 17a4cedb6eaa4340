// The orders that `heddle cc --aspect` hands over (instrument/aspect.h, WeaveText), and what their targets name.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <string>
#include <vector>

namespace heddle::instrument {

enum class CaptureKind { kArgument, kReturn, kSize, kAddress, kValue };

struct Capture {
  CaptureKind kind = CaptureKind::kArgument;
  unsigned index = 0;
  unsigned stars = 0;
};

struct WeaveOrder {
  enum class What { kCall, kBody, kRead, kWrite, kLine };
  bool after = false;
  What what = What::kCall;
  std::string target;
  std::string event;  // the text that the trace has
  llvm::SmallVector<Capture, 4> captures;
};

std::vector<WeaveOrder> ReadWeaveOrders(llvm::StringRef text);

// Whether the target is the function's name: as the linker has it, or as C++ has it, with or without parameters and
// template arguments.
bool NamesFunction(llvm::StringRef target, const llvm::Function& function);
bool NamesVariable(llvm::StringRef target, const llvm::GlobalVariable& variable);

// How a call of a member of std::atomic uses its object.
enum class AtomicUse { kNone, kRead, kWrite, kBoth };
AtomicUse UseOfAtomic(const llvm::Function& callee);

}  // namespace heddle::instrument
