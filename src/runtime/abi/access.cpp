// The compiler's calls for plain memory accesses and function entry and exit, as gcc and clang emit them under
// -fsanitize=thread. Each only adds the code address and jumps through the mode's table.
#include "runtime/control/search/access_log.h"
#include "runtime/mode.h"

#define HEDDLE_ABI extern "C" __attribute__((visibility("default")))
#define HEDDLE_PC __builtin_return_address(0)

using heddle::rt::g_access;

#define HEDDLE_ACCESS_SIZE(bytes, log)                                                                   \
  HEDDLE_ABI void __tsan_read##bytes(void* a) { g_access.read[log](a, HEDDLE_PC); }                      \
  HEDDLE_ABI void __tsan_write##bytes(void* a) { g_access.write[log](a, HEDDLE_PC); }                    \
  HEDDLE_ABI void __tsan_unaligned_read##bytes(void* a) { g_access.read[log](a, HEDDLE_PC); }            \
  HEDDLE_ABI void __tsan_unaligned_write##bytes(void* a) { g_access.write[log](a, HEDDLE_PC); }          \
  HEDDLE_ABI void __tsan_volatile_read##bytes(void* a) { g_access.read[log](a, HEDDLE_PC); }             \
  HEDDLE_ABI void __tsan_volatile_write##bytes(void* a) { g_access.write[log](a, HEDDLE_PC); }           \
  HEDDLE_ABI void __tsan_unaligned_volatile_read##bytes(void* a) { g_access.read[log](a, HEDDLE_PC); }   \
  HEDDLE_ABI void __tsan_unaligned_volatile_write##bytes(void* a) { g_access.write[log](a, HEDDLE_PC); } \
  HEDDLE_ABI void __tsan_read_write##bytes(void* a) {                                                    \
    g_access.read[log](a, HEDDLE_PC);                                                                    \
    g_access.write[log](a, HEDDLE_PC);                                                                   \
  }                                                                                                      \
  HEDDLE_ABI void __tsan_unaligned_read_write##bytes(void* a) {                                          \
    g_access.read[log](a, HEDDLE_PC);                                                                    \
    g_access.write[log](a, HEDDLE_PC);                                                                   \
  }                                                                                                      \
  HEDDLE_ABI void __tsan_read##bytes##_pc(void* a, void* pc) { g_access.read[log](a, pc); }              \
  HEDDLE_ABI void __tsan_write##bytes##_pc(void* a, void* pc) { g_access.write[log](a, pc); }

HEDDLE_ACCESS_SIZE(1, 0)
HEDDLE_ACCESS_SIZE(2, 1)
HEDDLE_ACCESS_SIZE(4, 2)
HEDDLE_ACCESS_SIZE(8, 3)
HEDDLE_ACCESS_SIZE(16, 4)

HEDDLE_ABI void __tsan_read_range(void* a, unsigned long bytes) { g_access.read_range(a, bytes, HEDDLE_PC); }
HEDDLE_ABI void __tsan_write_range(void* a, unsigned long bytes) { g_access.write_range(a, bytes, HEDDLE_PC); }
HEDDLE_ABI void __tsan_read_range_pc(void* a, unsigned long bytes, void* pc) { g_access.read_range(a, bytes, pc); }
HEDDLE_ABI void __tsan_write_range_pc(void* a, unsigned long bytes, void* pc) { g_access.write_range(a, bytes, pc); }

HEDDLE_ABI void __tsan_vptr_read(void** vptr) { g_access.vptr_read(static_cast<void*>(vptr), HEDDLE_PC); }
HEDDLE_ABI void __tsan_vptr_update(void** vptr, void* value) {
  // Writing the value that is there already happens in every destructor and harms nobody.
  if (*vptr != value) g_access.vptr_write(static_cast<void*>(vptr), HEDDLE_PC);
}

HEDDLE_ABI void __tsan_func_entry(void* call_pc) { g_access.function_entry(call_pc); }
HEDDLE_ABI void __tsan_func_exit(void) { g_access.function_exit(); }

HEDDLE_ABI void __tsan_init(void) {
  heddle::rt::Start();
  heddle::rt::control::NoteUnit();
  heddle::rt::NoteInstrumentedModule(HEDDLE_PC);
}
