#include "runtime/control/carrier/fiber_switch.h"

#include <cstddef>

extern "C" {
__attribute__((visibility("hidden"))) constinit std::atomic<uint32_t> heddle_freeze{0};
}

namespace heddle::rt::control {

static_assert(offsetof(FiberContext, stack) == 0 && offsetof(FiberContext, fs) == 8);
static_assert(offsetof(FiberContext, parked) == 16 && offsetof(FiberContext, release) == 20);

// The signal mask is the OS thread's and stays: switches happen inside a RuntimeScope, where handlers wait. Debuggers
// see OS threads in heddle_fiber_sleep, so it says where its caller is.
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

.p2align 4
.globl heddle_fiber_sleep
.hidden heddle_fiber_sleep
.type heddle_fiber_sleep,@function
heddle_fiber_sleep:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbp, 0
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  pushq %r12
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r12, 0
  pushq %r13
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r13, 0
  pushq %r14
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r14, 0
  pushq %r15
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %r15, 0
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %fs:0, %rax
  movq %rax, 8(%rdi)
  movq %rsp, 0(%rdi)
  movq %rdi, %rbx
  movq %rsi, %rbp
  movl $1, %eax
  xchgl %eax, 16(%rbx)         # parked: from here on a copy may be made
  movq 0(%rbp), %rax
  movq 8(%rbp), %rdi
  movq 16(%rbp), %rsi
  movq 24(%rbp), %rdx
  movq 32(%rbp), %r10
  movq 40(%rbp), %r8
  movq 48(%rbp), %r9
  syscall
  movq %rax, %r12
1:
  xorl %eax, %eax
  xchgl %eax, 16(%rbx)
  cmpl $0, heddle_freeze(%rip)
  je 2f
  movl $1, %eax                # a copy is being made: still asleep
  xchgl %eax, 16(%rbx)
  movl $202, %eax              # futex(&heddle_freeze, FUTEX_WAIT_PRIVATE, 1, null)
  leaq heddle_freeze(%rip), %rdi
  movl $128, %esi
  movl $1, %edx
  xorl %r10d, %r10d
  syscall
  jmp 1b
2:
  movq %r12, %rax
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r15
  popq %r14
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r14
  popq %r13
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r13
  popq %r12
  .cfi_adjust_cfa_offset -8
  .cfi_restore %r12
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  popq %rbp
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbp
  ret
  .cfi_endproc
.size heddle_fiber_sleep, .-heddle_fiber_sleep
)");

}  // namespace heddle::rt::control
