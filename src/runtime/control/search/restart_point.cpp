#include "runtime/control/search/restart_point.h"

#include <cstddef>

namespace heddle::rt::control {

static_assert(offsetof(RestartPoint, stack) == 48 && offsetof(RestartPoint, code) == 56);
static_assert(offsetof(RestartPoint, mxcsr) == 64 && offsetof(RestartPoint, fpu) == 68);

asm(R"(
.text
.p2align 4
.globl heddle_mark
.hidden heddle_mark
.type heddle_mark,@function
heddle_mark:
  .cfi_startproc
  movq %rbx, 0(%rdi)
  movq %rbp, 8(%rdi)
  movq %r12, 16(%rdi)
  movq %r13, 24(%rdi)
  movq %r14, 32(%rdi)
  movq %r15, 40(%rdi)
  leaq 8(%rsp), %rax
  movq %rax, 48(%rdi)
  movq (%rsp), %rax
  movq %rax, 56(%rdi)
  stmxcsr 64(%rdi)
  fnstcw 68(%rdi)
  ret
  .cfi_endproc
.size heddle_mark, .-heddle_mark

.p2align 4
.globl heddle_restart
.hidden heddle_restart
.type heddle_restart,@function
heddle_restart:
  .cfi_startproc
  ldmxcsr 64(%rdi)
  fldcw 68(%rdi)
  movq 0(%rdi), %rbx
  movq 8(%rdi), %rbp
  movq 16(%rdi), %r12
  movq 24(%rdi), %r13
  movq 32(%rdi), %r14
  movq 40(%rdi), %r15
  movq 48(%rdi), %rsp
  cld
  jmpq *56(%rdi)
  .cfi_endproc
.size heddle_restart, .-heddle_restart

.p2align 4
.globl heddle_call_on
.hidden heddle_call_on
.type heddle_call_on,@function
heddle_call_on:
  .cfi_startproc
  .cfi_undefined rip
  movq %rdi, %rsp
  xorl %ebp, %ebp
  call *%rsi
  ud2
  .cfi_endproc
.size heddle_call_on, .-heddle_call_on

.p2align 4
.globl heddle_sigreturn
.hidden heddle_sigreturn
.type heddle_sigreturn,@function
heddle_sigreturn:
  movl $15, %eax
  syscall
  .fill 9, 1, 0xCC
.size heddle_sigreturn, .-heddle_sigreturn
)");

}  // namespace heddle::rt::control
