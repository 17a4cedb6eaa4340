// The modes of the runtime, and the two tables through which everything goes.
//
// One library serves every mode; the mode is chosen once, when the process starts (HEDDLE_MODE). Plain accesses go
// through g_access (a jump through a pointer, nothing to decide). Every other intercepted call is a visible operation:
// visible.h wraps the real call in g_hooks. To add a mode, fill the two tables and name it in ChooseMode.
#pragma once

#include <cstdint>

#include "runtime/op.h"
#include "runtime/threads/thread.h"

namespace heddle::rt {

enum class Mode : uint8_t {
  Unknown,  // before the runtime has started
  Off,      // the plain program
  Trace,    // threads run and record
  Detect,   // threads run and are checked as they go
  Control,  // nothing watches, but threads are scheduled (control/turn/control.h), which the other modes may have as
            // well
};
extern Mode g_mode;

// Whether threads are scheduled (control/turn/control.h), whatever the mode. Constant once the runtime has started.
extern bool g_controlled;

// The compiler's calls for plain memory. Sizes are 1, 2, 4, 8, 16 bytes.
struct AccessTable {
  // As read and write below, after the inline check missed.
  void (*fresh_read[5])(void* address, void* pc);
  void (*fresh_write[5])(void* address, void* pc);
  void (*read[5])(void* address, void* pc);
  void (*write[5])(void* address, void* pc);
  void (*vptr_read)(void* address, void* pc);
  void (*vptr_write)(void* address, void* pc);
  void (*read_range)(void* address, uint64_t bytes, void* pc);
  void (*write_range)(void* address, uint64_t bytes, void* pc);
  void (*function_entry)(void* call_pc);
  void (*function_exit)();
};
// Filled once, while the runtime starts, in this order; a wrapper keeps the table before it and calls that last:
//   1. the mode's own table (StartMode); the trace and the weak detector change entries of theirs within it
//   2. WatchPlainAccesses (control/turn/plain_access.h): plain accesses are steps of a schedule
//   3. StartAccessLog (control/search/access_log.h): a search notes them
//   4. WatchRounds (control/search/spin_loop.h): a search compares what rounds of loops write
// So an access is noted, then scheduled, then watched. g_hooks is not wrapped: control is called by interceptors,
// around the hooks (control/turn/in_turn.h).
extern AccessTable g_access;

// What a mode does around visible operations. All run on the calling thread, within a
// RuntimeScope.
enum class AtomicNeed : uint8_t {
  kOrdered,  // it is kept apart from others on the address, and committed
  kCommit,   // it orders nothing: it is only committed
  kNothing,  // the same operation was committed before and nothing changed since
};

struct Hooks {
  // The operation took effect, or (release operations) is about to: gives it its place in the order and records it.
  void (*commit)(const Op& op);
  // The outcome of the operation committed last by this thread, where it was not known at commit.
  void (*amend)(Outcome outcome);
  // The attempt at `op` (a lock, a semaphore, a join) found that it has to wait; the thread will block next.
  void (*blocked)(const Op& op);

  // Atomics: enter orders operations on one address against each other until leave.
  void (*atomic_enter)(const void* address);
  void (*atomic_leave)(const void* address);
  // What a relaxed load, store or update of `bytes` at the address needs; null: always kOrdered.
  AtomicNeed (*atomic_need)(const void* address, uint32_t bytes, bool stores);
  // What an atomic load reads in place of the value that memory has now; null: that value.
  void (*atomic_choose)(const Op& op, uint64_t* value);

  // A thread's life. `parent_fork` is null for threads that heddle did not see created.
  void (*thread_begin)(Thread* thread, const Op* parent_fork);
  void (*thread_end)(Thread* thread);
  void (*thread_name)(uint32_t number, const char* name);

  // The process: before and after fork, a library was loaded, the end.
  void (*fork_before)();
  void (*fork_after)(bool in_child);
  void (*modules_changed)();
  void (*process_end)(int code);

  // A handler of the target starts or ends on this thread.
  void (*signal_begin)(int number);
  void (*signal_end)(int number);
};
extern Hooks g_hooks;

extern const AccessTable kOffAccess;
extern const Hooks kOffHooks;
extern const AccessTable kTraceAccess;
extern const Hooks kTraceHooks;
extern const AccessTable kDetectAccess;
extern const Hooks kDetectHooks;
extern const Hooks kControlHooks;

// Starts the runtime if it has not started. Every interceptor calls it through Passive().
void Start();

// Whether an intercepted call is simply passed on: the mode is off, or the caller is the runtime itself, or the thread
// has ended as far as the program is concerned.
bool PassiveSlow();
inline bool Passive() {
  if (g_mode == Mode::Off) return true;
  if (g_mode != Mode::Unknown && (t_hot.in_runtime | t_hot.gone) == 0) return false;
  return PassiveSlow();
}

// Exit handling; once, at the start (intercept/process.cpp).
void StartProcess();
// This process is a copy that was made without fork(); it goes on as the program (control/search/explore.h).
void IsCopy();
// This process runs on as if heddle were not there. It has one thread.
void LeaveAnalysis();
// Starts control in a process that runs without any analysis: for explorations within it. False when that cannot be.
bool StartInside();

// Called by modules that the compiler instrumented; `pc` is inside the module.
// An exploration within the process begins: plain accesses of all modules call the runtime from now on.
void WatchModules();
void NoteInstrumentedModule(const void* pc);
bool IsInstrumentedCode(const void* pc);
// Code of the C++ library, which was not instrumented.
bool IsCxxLibraryCode(const void* pc);
// Whether `word`, found on a stack, is where a call of instrumented code returns.
bool IsReturnAddress(const void* word);

}  // namespace heddle::rt
