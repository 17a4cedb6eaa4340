// heddle's own calls for programs (include/heddle/heddle.h).
#include <cstring>

#include "runtime/control/explore.h"
#include "runtime/intercept/real.h"
#include "runtime/record/filter.h"
#include "runtime/record/process_text.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// Names of user events by the address of the literal; each is described in the trace once.
constexpr uint32_t kNames = 4096;
SpinLock g_names_lock;
const char* g_names[kNames];
uint32_t g_name_count = 0;

uint64_t NameNumber(const char* name) {
  SpinHolder hold(g_names_lock);
  for (uint32_t i = 0; i < g_name_count; ++i) {
    if (g_names[i] == name) return i;
  }
  if (g_name_count == kNames) return kNames;
  g_names[g_name_count] = name;
  WriteStringText(g_name_count, name);
  return g_name_count++;
}

}  // namespace

HEDDLE_INTERCEPT void heddle_event(const char* name, long value) {
  if (Passive()) return;
  RuntimeScope scope;
  Op op = MakeOp(Kind::User, nullptr, HEDDLE_PC, NameNumber(name));
  op.arg2 = static_cast<uint64_t>(value);
  g_hooks.commit(op);
}

HEDDLE_INTERCEPT int heddle_active() { return g_mode > Mode::Off ? 1 : 0; }

HEDDLE_INTERCEPT unsigned heddle_choose(unsigned count) { return Passive() ? 0 : control::Choose(count, HEDDLE_PC); }

HEDDLE_INTERCEPT void heddle_assume(int holds) {
  if (holds == 0 && !Passive()) control::StopForGood(HEDDLE_PC);
}

// Called once for each executable or library that heddle's pass plugin compiled: `watch` is the byte that its accesses
// test before they call.
HEDDLE_INTERCEPT void __heddle_register_module(unsigned char* watch) {
  Start();
  if (g_mode == Mode::Control || control::g_visible == control::Visible::All) {
    bool accesses = control::On() && control::g_visible == control::Visible::All;
    *watch = accesses ? heddle::kWatchAll : heddle::kWatchNothing;
    return;
  }
  if (g_mode == Mode::Detect) {
    *watch = heddle::kWatchCells;
    return;
  }
  *watch = g_mode <= Mode::Off ? heddle::kWatchNothing : FilterIsInline() ? heddle::kWatchFiltered : heddle::kWatchAll;
}
