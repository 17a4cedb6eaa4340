// Mode off: nothing is watched. Also the tables' state before the runtime has started, when the first call starts it.
#include <cerrno>

#include "runtime/mode.h"
#include "runtime/op.h"
#include "runtime/output/process_text.h"

namespace heddle::rt {
namespace {

void NoAccess(void*, void*) {}
void NoRange(void*, uint64_t, void*) {}
void NoEntry(void*) {}
void NoExit() {}

// Before Start: start, then do what the new table says.
template <int kLog>
void FirstRead(void* address, void* pc) {
  Start();
  if (g_mode != Mode::Unknown) g_access.read[kLog](address, pc);
}
template <int kLog>
void FirstWrite(void* address, void* pc) {
  Start();
  if (g_mode != Mode::Unknown) g_access.write[kLog](address, pc);
}
void FirstEntry(void* call_pc) {
  Start();
  if (g_mode != Mode::Unknown) g_access.function_entry(call_pc);
}

void NoCommit(const Op&) {}
void NoAmend(Outcome) {}
void NoAtomic(const void*) {}
AtomicNeed NeedsNothing(const void*, uint32_t, bool) { return AtomicNeed::kNothing; }
void DescribeThread(Thread* thread, const Op*) { WriteThreadText(thread); }
void NoThreadBegin(Thread*, const Op*) {}
void NoThread(Thread*) {}
void NoName(uint32_t, const char*) {}
void Nothing() {}
void NoFork(bool) {}
void NoNumber(int) {}

}  // namespace

const AccessTable kOffAccess = {
    .fresh_read = {NoAccess, NoAccess, NoAccess, NoAccess, NoAccess},
    .fresh_write = {NoAccess, NoAccess, NoAccess, NoAccess, NoAccess},
    .read = {NoAccess, NoAccess, NoAccess, NoAccess, NoAccess},
    .write = {NoAccess, NoAccess, NoAccess, NoAccess, NoAccess},
    .vptr_read = NoAccess,
    .vptr_write = NoAccess,
    .read_range = NoRange,
    .write_range = NoRange,
    .function_entry = NoEntry,
    .function_exit = NoExit,
};
const Hooks kOffHooks = {
    .commit = NoCommit,
    .amend = NoAmend,
    .blocked = NoCommit,
    .atomic_enter = NoAtomic,
    .atomic_leave = NoAtomic,
    .atomic_need = nullptr,
    .atomic_choose = nullptr,
    .thread_begin = NoThreadBegin,
    .thread_end = NoThread,
    .thread_name = NoName,
    .fork_before = Nothing,
    .fork_after = NoFork,
    .modules_changed = Nothing,
    .process_end = NoNumber,
    .signal_begin = NoNumber,
    .signal_end = NoNumber,
};

// Nothing is watched, but reports name modules and threads.
const Hooks kControlHooks = {
    .commit = NoCommit,
    .amend = NoAmend,
    .blocked = NoCommit,
    .atomic_enter = NoAtomic,
    .atomic_leave = NoAtomic,
    .atomic_need = NeedsNothing,
    .atomic_choose = nullptr,
    .thread_begin = DescribeThread,
    .thread_end = NoThread,
    .thread_name = WriteNameText,
    .fork_before = Nothing,
    .fork_after = NoFork,
    .modules_changed = WriteModulesText,
    .process_end = NoNumber,
    .signal_begin = NoNumber,
    .signal_end = NoNumber,
};

AccessTable g_access = {
    .fresh_read = {FirstRead<0>, FirstRead<1>, FirstRead<2>, FirstRead<3>, FirstRead<4>},
    .fresh_write = {FirstWrite<0>, FirstWrite<1>, FirstWrite<2>, FirstWrite<3>, FirstWrite<4>},
    .read = {FirstRead<0>, FirstRead<1>, FirstRead<2>, FirstRead<3>, FirstRead<4>},
    .write = {FirstWrite<0>, FirstWrite<1>, FirstWrite<2>, FirstWrite<3>, FirstWrite<4>},
    .vptr_read = NoAccess,
    .vptr_write = NoAccess,
    .read_range = NoRange,
    .write_range = NoRange,
    .function_entry = FirstEntry,
    .function_exit = NoExit,
};
Hooks g_hooks = kOffHooks;

Outcome OutcomeOf(int error) {
  switch (error) {
    case 0:
      return Outcome::Success;
    case EBUSY:
    case EAGAIN:
      return Outcome::Busy;
    case ETIMEDOUT:
      return Outcome::Timeout;
    default:
      return Outcome::Error;
  }
}

}  // namespace heddle::rt
