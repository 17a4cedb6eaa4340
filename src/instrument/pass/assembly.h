// Inline assembly that is atomic: the compiler does not look into it, so ThreadSanitizer's pass does not see it.
//
// Recognised on x86, by the text: instructions with a lock prefix, and xchg with a memory operand, are sequentially
// consistent updates; a plain mov from or to memory is an acquire load or a release store, which is what the processor
// makes of it; mfence and a locked instruction without an operand of the program's are fences. Around the first three
// the plugin puts __heddle_assembly_begin(address, what) and __heddle_assembly_end(address, what), which the runtime
// treats as one atomic operation (abi/assembly.cpp); a fence gets the call that fences have. Text with a jump may wait
// inside for another thread, and is marked so. Everything else stays as it is: a compiler barrier orders nothing.
#pragma once

#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Before ThreadSanitizer's pass. Whether it changed the function.
bool AnnounceAssembly(llvm::Function& function);

}  // namespace heddle::instrument
