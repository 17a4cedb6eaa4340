// heddle's own calls for programs (include/heddle/heddle.h).
#include <dlfcn.h>

#include <cstdarg>
#include <cstring>

#include "runtime/control/search/explore.h"
#include "runtime/libc/real.h"
#include "runtime/output/process_text.h"
#include "runtime/record/filter.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

// Names of user events by the address of the literal; each is described in the trace once. Aspects have a literal in
// each object file, so a new address may still have a known text.
constexpr uint32_t kNames = 4096;
SpinLock g_names_lock;
const char* g_names[kNames];
uint32_t g_name_count = 0;

uint64_t NameNumber(const char* name) {
  SpinHolder hold(g_names_lock);
  for (uint32_t i = 0; i < g_name_count; ++i) {
    if (g_names[i] == name) return i;
  }
  for (uint32_t i = 0; i < g_name_count; ++i) {
    if (strcmp(g_names[i], name) == 0) return i;
  }
  if (g_name_count == kNames) return kNames;
  g_names[g_name_count] = name;
  WriteStringText(g_name_count, name);
  return g_name_count++;
}

// The watch bytes of modules, for WatchModules.
constexpr uint32_t kModules = 256;
unsigned char* g_watch[kModules];
uint32_t g_watch_count = 0;

void KeepWatch(unsigned char* watch) {
  SpinHolder hold(g_names_lock);
  if (g_watch_count < kModules) g_watch[g_watch_count++] = watch;
}

constexpr unsigned kMaxFields = 16;

// One event, with the values beyond the second in records right behind it.
void CommitUser(Op op, const uint64_t* values, unsigned count) {
  op.arg2 = count > 0 ? values[0] : 0;
  op.arg3 = count > 1 ? values[1] : 0;
  g_hooks.commit(op);
  op.kind = Kind::UserMore;
  for (unsigned i = 2; i < count; i += 2) {
    op.arg = i;
    op.arg2 = values[i];
    op.arg3 = i + 1 < count ? values[i + 1] : 0;
    g_hooks.commit(op);
  }
}

uint64_t NumberOf(const char* name) {
  RuntimeScope scope;
  return NameNumber(name);
}

// Under control it is a point of its own, so that a replay can give it its place.
void Emit(const char* name, const void* pc, const uint64_t* values, unsigned count) {
  Op op = MakeOp(Kind::User, nullptr, pc, NumberOf(name));
  if (control::On()) {
    control::Take(control::PointOf(op));
    CommitUser(op, values, count);
    return control::Done(Outcome::Success, true);
  }
  RuntimeScope scope;
  CommitUser(op, values, count);
}

}  // namespace

HEDDLE_INTERCEPT void heddle_event(const char* name, long value) {
  if (Passive()) return;
  auto word = static_cast<uint64_t>(value);
  Emit(name, HEDDLE_PC, &word, 1);
}

// The three below are called by code that the pass plugin wove in (docs/properties.md).
HEDDLE_INTERCEPT void __heddle_aspect(const char* text, unsigned count, ...) {
  if (Passive()) return;
  uint64_t values[kMaxFields] = {};
  if (count > kMaxFields) count = kMaxFields;
  va_list list;
  va_start(list, count);
  for (unsigned i = 0; i < count; ++i) values[i] = va_arg(list, uint64_t);
  va_end(list);
  Emit(text, HEDDLE_PC, values, count);
}

// What the pointer points at, as a signed number; null points at 0.
HEDDLE_INTERCEPT uint64_t __heddle_peek(uint64_t address, unsigned bytes) {
  if (address == 0 || Passive()) return 0;
  uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(address), bytes < 8 ? bytes : 8);  // NOLINT: the program's pointer
  if (bytes == 0 || bytes >= 8) return value;
  unsigned shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

// An event that may come, so that a trace without it says so.
HEDDLE_INTERCEPT void __heddle_declare_events(const char* text) {
  Start();
  if (!Passive()) NumberOf(text);
}

HEDDLE_INTERCEPT int heddle_active() { return g_mode > Mode::Off ? 1 : 0; }

HEDDLE_INTERCEPT unsigned heddle_choose(unsigned count) { return Passive() ? 0 : control::Choose(count, HEDDLE_PC); }

HEDDLE_INTERCEPT void heddle_assume(int holds) {
  if (holds == 0 && !Passive()) control::StopForGood(HEDDLE_PC);
}

void heddle::rt::WatchModules() {
  for (uint32_t i = 0; i < g_watch_count; ++i) {
    Dl_info module{};
    if (dladdr(g_watch[i], &module) != 0) *g_watch[i] = heddle::kWatchAll;  // it is still loaded
  }
}

// Called once for each executable or library that heddle's pass plugin compiled: `watch` is the byte that its accesses
// test before they call.
HEDDLE_INTERCEPT void __heddle_register_module(unsigned char* watch) {
  Start();
  KeepWatch(watch);
  if (g_mode == Mode::Control || control::g_visible == control::Visible::kAll) {
    bool accesses = control::On() && (control::g_visible == control::Visible::kAll || control::Exploring());
    *watch = accesses ? heddle::kWatchAll : heddle::kWatchNothing;
    return;
  }
  if (g_mode == Mode::Detect) {
    *watch = heddle::kWatchCells;
    return;
  }
  *watch = g_mode <= Mode::Off ? heddle::kWatchNothing : FilterIsInline() ? heddle::kWatchFiltered : heddle::kWatchAll;
}
