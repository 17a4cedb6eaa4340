// The part of the sanitizers' common interface that programs built for ThreadSanitizer link against. The hooks around
// system calls made by hand (linux_syscall_hooks.h) say nothing that heddle needs: they are one empty function under
// many names. Unaligned accesses are accesses.
#include <cstdint>
#include <cstring>

#include "runtime/libc/real.h"
#include "runtime/mode.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

HEDDLE_INTERCEPT void __sanitizer_syscall_nothing() {}

#define HEDDLE_HOOK(name)                                                                       \
  asm(".globl __sanitizer_syscall_pre_impl_" name "\n.set __sanitizer_syscall_pre_impl_" name   \
      ", __sanitizer_syscall_nothing\n"                                                         \
      ".globl __sanitizer_syscall_post_impl_" name "\n.set __sanitizer_syscall_post_impl_" name \
      ", __sanitizer_syscall_nothing");
#include "syscall_hooks.inc"

// A program with a function of its own in libc's place reaches heddle's by this name. The jump stays in this library
// (-Bsymbolic-functions), and the caller is the program's.
#define HEDDLE_NAME(name)                                                                                 \
  asm(".text\n.globl __interceptor_" name "\n.type __interceptor_" name ",@function\n__interceptor_" name \
      ":\n  jmp " name "@PLT\n.globl ___interceptor_" name "\n.set ___interceptor_" name ", __interceptor_" name);
#include "interceptor_names.inc"

#define HEDDLE_UNALIGNED(bits, log)                                                         \
  HEDDLE_INTERCEPT uint##bits##_t __sanitizer_unaligned_load##bits(const void* at) {        \
    g_access.read[log](const_cast<void*>(at), HEDDLE_PC);                                   \
    uint##bits##_t value;                                                                   \
    __builtin_memcpy(&value, at, sizeof value);                                             \
    return value;                                                                           \
  }                                                                                         \
  HEDDLE_INTERCEPT void __sanitizer_unaligned_store##bits(void* at, uint##bits##_t value) { \
    g_access.write[log](at, HEDDLE_PC);                                                     \
    __builtin_memcpy(at, &value, sizeof value);                                             \
  }
HEDDLE_UNALIGNED(16, 1)
HEDDLE_UNALIGNED(32, 2)
HEDDLE_UNALIGNED(64, 3)

// Accepted: heddle's report is its own.
HEDDLE_INTERCEPT void __sanitizer_set_report_path(const char*) {}
HEDDLE_INTERCEPT void __sanitizer_set_report_fd(void*) {}
HEDDLE_INTERCEPT void __sanitizer_set_death_callback(void (*)()) {}
HEDDLE_INTERCEPT void __sanitizer_sandbox_on_notify(void*) {}
HEDDLE_INTERCEPT int __sanitizer_acquire_crash_state() { return 1; }
HEDDLE_INTERCEPT void __sanitizer_print_stack_trace() {}
HEDDLE_INTERCEPT void __sanitizer_print_memory_profile(size_t, size_t) {}
