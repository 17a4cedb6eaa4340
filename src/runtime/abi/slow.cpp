// What an inlined look calls when it finds something new: __heddle_slow_read1 ... __heddle_slow_write16. They preserve
// every register of general use but r11 (clang's preserve_most), so that compiled code keeps its values in registers
// around the call that hardly ever happens. In assembly, because not every compiler of the runtime knows that
// convention.
#include <cstddef>

#include "runtime/mode.h"

namespace heddle::rt {

static_assert(offsetof(AccessTable, fresh_read) == 0 && offsetof(AccessTable, fresh_write) == 40);

}  // namespace heddle::rt

// Nine registers and the return address: the stack is aligned for the call. The table is that of abi/access.cpp.
#define HEDDLE_SAVE(reg) "push %" #reg "\n .cfi_adjust_cfa_offset 8\n"
#define HEDDLE_RESTORE(reg) "pop %" #reg "\n .cfi_adjust_cfa_offset -8\n"
#define HEDDLE_SLOW(name, offset) \
  asm(".text\n .p2align 4\n .globl __heddle_slow_" name "\n .type __heddle_slow_" name                       \
      ", @function\n"                                                                                        \
      "__heddle_slow_" name ":\n .cfi_startproc\n"                                                           \
      HEDDLE_SAVE(rax) HEDDLE_SAVE(rcx) HEDDLE_SAVE(rdx) HEDDLE_SAVE(rsi) HEDDLE_SAVE(rdi) HEDDLE_SAVE(r8)   \
      HEDDLE_SAVE(r9) HEDDLE_SAVE(r10) HEDDLE_SAVE(rax)                                                      \
      " mov 72(%rsp), %rsi\n"                                                                                \
      " call *(_ZN6heddle2rt8g_accessE + " offset ")(%rip)\n"                                                \
      HEDDLE_RESTORE(rax) HEDDLE_RESTORE(r10) HEDDLE_RESTORE(r9) HEDDLE_RESTORE(r8) HEDDLE_RESTORE(rdi)      \
      HEDDLE_RESTORE(rsi) HEDDLE_RESTORE(rdx) HEDDLE_RESTORE(rcx) HEDDLE_RESTORE(rax)                        \
      " ret\n .cfi_endproc\n .size __heddle_slow_" name ", . - __heddle_slow_" name "\n")

HEDDLE_SLOW("read1", "0");
HEDDLE_SLOW("read2", "8");
HEDDLE_SLOW("read4", "16");
HEDDLE_SLOW("read8", "24");
HEDDLE_SLOW("read16", "32");
HEDDLE_SLOW("write1", "40");
HEDDLE_SLOW("write2", "48");
HEDDLE_SLOW("write4", "56");
HEDDLE_SLOW("write8", "64");
HEDDLE_SLOW("write16", "72");
