// Atomic inline assembly: what the pass plugin puts around it (instrument/pass/assembly.h). The instruction runs
// between the two calls, with other operations on the address kept apart; so it is one atomic operation like any other,
// and a scheduling point under control. Assembly that may wait inside is not kept apart: it counts as a release before
// it begins and an acquire after its end.
#include "wire/assembly.h"

#include "runtime/control/search/explore.h"
#include "runtime/libc/real.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

struct Assembly {
  bool under_way;
  bool in_turn;
  uint64_t before;
};
thread_local Assembly t_assembly __attribute__((tls_model("initial-exec"))) = {};

Kind KindOf(uint32_t what) {
  uint32_t kind = what & heddle::kAssemblyKind;
  return kind == heddle::kAssemblyLoad    ? Kind::AtomicLoad
         : kind == heddle::kAssemblyStore ? Kind::AtomicStore
                                          : Kind::AtomicRmw;
}

uint64_t ValueAt(const void* address, uint32_t bytes) {
  switch (bytes) {
    case 1:
      return __atomic_load_n(static_cast<const uint8_t*>(address), __ATOMIC_RELAXED);
    case 2:
      return __atomic_load_n(static_cast<const uint16_t*>(address), __ATOMIC_RELAXED);
    case 4:
      return __atomic_load_n(static_cast<const uint32_t*>(address), __ATOMIC_RELAXED);
    default:
      return __atomic_load_n(static_cast<const uint64_t*>(address), __ATOMIC_RELAXED);
  }
}

Op OpOf(const void* address, uint32_t what, const void* pc, uint64_t before, uint64_t now) {
  Op op = MakeOp(KindOf(what), address, pc);
  op.detail = static_cast<uint8_t>(what & heddle::kAssemblyBytes);
  op.arg = before;
  op.arg2 = now;
  if (op.kind == Kind::AtomicLoad) op.order = static_cast<uint8_t>(Order::Acquire);
  if (op.kind == Kind::AtomicStore) {
    op.order = static_cast<uint8_t>(Order::Release);
    op.arg = now;
  }
  if (op.kind == Kind::AtomicRmw) {
    op.order = static_cast<uint8_t>(Order::SeqCst);
    op.result = static_cast<uint8_t>(RmwOp::Exchange);
  }
  return op;
}

bool IsVisible() { return control::On() && control::g_visible >= control::Visible::kAtomics; }

}  // namespace

HEDDLE_INTERCEPT void __heddle_assembly_begin(void* address, uint32_t what) {
  t_assembly.under_way = !Passive();
  if (!t_assembly.under_way) return;
  if ((what & heddle::kAssemblyWaits) != 0) return Commit(MakeOp(Kind::Release, address, HEDDLE_PC));
  t_assembly.in_turn = IsVisible();
  if (t_assembly.in_turn) {
    control::Point point =
        control::PointOf(static_cast<uint8_t>(KindOf(what)), reinterpret_cast<uint64_t>(address), HEDDLE_PC);
    point.writes = KindOf(what) != Kind::AtomicLoad;
    control::Take(point);
  }
  RuntimeScope::Enter();
  g_hooks.atomic_enter(address);
  t_assembly.before = ValueAt(address, what & heddle::kAssemblyBytes);
}

HEDDLE_INTERCEPT void __heddle_assembly_end(void* address, uint32_t what) {
  if (!t_assembly.under_way) return;
  t_assembly.under_way = false;
  if ((what & heddle::kAssemblyWaits) != 0) return Commit(MakeOp(Kind::Acquire, address, HEDDLE_PC));
  uint64_t now = ValueAt(address, what & heddle::kAssemblyBytes);
  g_hooks.commit(OpOf(address, what, HEDDLE_PC, t_assembly.before, now));
  g_hooks.atomic_leave(address);
  RuntimeScope::Leave();
  if (t_assembly.in_turn) control::Done(Outcome::Success, now == t_assembly.before);
}
