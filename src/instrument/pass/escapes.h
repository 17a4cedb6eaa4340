// Accesses to stack variables that other threads may reach, and that ThreadSanitizer's pass leaves out.
//
// The pass asks whether the address of the access is captured; of a field (an offset into the variable) that is hardly
// ever so, even when the variable's own address was given away. Here the question is asked of the variable.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace heddle::instrument {

// To be called before ThreadSanitizer's pass: the loads and stores that it will leave out and should not.
llvm::SmallVector<llvm::Instruction*, 16> LeftOutAlthoughShared(llvm::Function& function);

// After it: announces them as the pass announces others.
void AnnounceAccesses(llvm::ArrayRef<llvm::Instruction*> accesses);

}  // namespace heddle::instrument
