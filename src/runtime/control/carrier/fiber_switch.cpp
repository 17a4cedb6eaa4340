#include "runtime/control/carrier/fiber_switch.h"

#include <cstddef>

namespace heddle::rt::control {

static_assert(offsetof(FiberContext, stack) == 0 && offsetof(FiberContext, fs) == 8);
static_assert(offsetof(FiberContext, parked) == 16 && offsetof(FiberContext, release) == 20);

// The signal mask is the OS thread's and stays: switches happen inside a RuntimeScope, where handlers wait.
asm(R"(
.text
.p2align 4
.globl heddle_fiber_switch
.hidden heddle_fiber_switch
.type heddle_fiber_switch,@function
heddle_fiber_switch:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, 0(%rdi)
  movq 8(%rsi), %rax
  wrfsbase %rax
  movq 0(%rsi), %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size heddle_fiber_switch, .-heddle_fiber_switch

.p2align 4
.globl heddle_fiber_park
.hidden heddle_fiber_park
.type heddle_fiber_park,@function
heddle_fiber_park:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, 0(%rdi)
  movq %rdi, %rbx
  movl $1, 16(%rbx)            # parked: from here on the stack is not ours
  movl $202, %eax              # futex(&parked, FUTEX_WAKE_PRIVATE, 1)
  leaq 16(%rbx), %rdi
  movl $129, %esi
  movl $1, %edx
  syscall
1:
  cmpl $0, 20(%rbx)
  jne 2f
  movl $202, %eax              # futex(&release, FUTEX_WAIT_PRIVATE, 0, null)
  leaq 20(%rbx), %rdi
  movl $128, %esi
  xorl %edx, %edx
  xorl %r10d, %r10d
  syscall
  jmp 1b
2:
  movq 0(%rbx), %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size heddle_fiber_park, .-heddle_fiber_park
)");

}  // namespace heddle::rt::control
