// Atomics that no instruction serves (std::atomic of a struct of 12 bytes): compilers call libatomic, which takes a
// lock of its own. Under control each such call is a visible operation on the bytes; without control it is passed on.
//
// The names are the compiler's builtins, which cannot be defined as such: hence the labels.
#include <cstring>

#include "runtime/control/search/explore.h"
#include "runtime/control/search/spin_loop.h"
#include "runtime/libc/real.h"
#include "runtime/spin.h"
#include "runtime/visible.h"

#define HEDDLE_LIBATOMIC(result, name) \
  extern "C" __attribute__((visibility("default"))) result heddle_wide_##name  // NOLINT: its label is libatomic's name

namespace heddle::rt {
namespace {

SpinLock g_lock;  // for programs that were linked without libatomic

template <typename Real>
Real* Find(const char* name) {
  return reinterpret_cast<Real*>(FindNext(name));
}

// At most so many bytes of an access are compared; the rest of a larger one is touched with its first ones.
constexpr size_t kMost = 255;

// Performs the call in turn. `idle(result)`: it changed nothing.
template <typename Call, typename Idle>
auto InTurn(size_t bytes, volatile void* at, bool writes, const void* pc, Call call, Idle idle) {
  if (Passive() || !control::Controlled()) return call();
  control::Point point = control::PointOf(sched::kAccess, reinterpret_cast<uint64_t>(at), pc);
  point.writes = writes;
  point.detail = static_cast<uint8_t>(bytes < kMost ? bytes : kMost);
  control::Take(point);
  control::NoteMemoryBefore();
  auto result = call();
  control::Done(Outcome::Success, idle(result));
  return result;
}

void* Plain(volatile void* at) { return const_cast<void*>(at); }

int Load(size_t bytes, volatile void* at, void* to, int order) {
  static auto* const real = Find<void(size_t, volatile void*, void*, int)>("__atomic_load");
  if (real != nullptr) {
    real(bytes, at, to, order);
  } else {
    SpinHolder hold(g_lock);
    memcpy(to, Plain(at), bytes);
  }
  return 0;
}

int Store(size_t bytes, volatile void* at, void* from, int order) {
  static auto* const real = Find<void(size_t, volatile void*, void*, int)>("__atomic_store");
  if (real != nullptr) {
    real(bytes, at, from, order);
  } else {
    SpinHolder hold(g_lock);
    memcpy(Plain(at), from, bytes);
  }
  return 0;
}

int Exchange(size_t bytes, volatile void* at, void* from, void* to, int order) {
  static auto* const real = Find<void(size_t, volatile void*, void*, void*, int)>("__atomic_exchange");
  if (real != nullptr) {
    real(bytes, at, from, to, order);
  } else {
    SpinHolder hold(g_lock);
    memcpy(to, Plain(at), bytes);
    memcpy(Plain(at), from, bytes);
  }
  return 0;
}

bool Compare(size_t bytes, volatile void* at, void* expected, void* desired, int order, int failure) {
  using Real = bool(size_t, volatile void*, void*, void*, int, int);
  static auto* const real = Find<Real>("__atomic_compare_exchange");
  if (real != nullptr) return real(bytes, at, expected, desired, order, failure);
  SpinHolder hold(g_lock);
  bool same = memcmp(Plain(at), expected, bytes) == 0;
  memcpy(same ? Plain(at) : expected, same ? desired : Plain(at), bytes);
  return same;
}

}  // namespace
}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: the rest of the file is the C interface

HEDDLE_LIBATOMIC(void, load)(size_t bytes, volatile void* at, void* to, int order) __asm__("__atomic_load");
HEDDLE_LIBATOMIC(void, store)(size_t bytes, volatile void* at, void* from, int order) __asm__("__atomic_store");
HEDDLE_LIBATOMIC(void, exchange)
(size_t bytes, volatile void* at, void* from, void* to, int order) __asm__("__atomic_exchange");
HEDDLE_LIBATOMIC(bool, compare)
(size_t bytes, volatile void* at, void* expected, void* desired, int order,
 int failure) __asm__("__atomic_compare_exchange");

void heddle_wide_load(size_t bytes, volatile void* at, void* to, int order) {
  HEDDLE_WATCH_LOOP();
  InTurn(bytes, at, false, HEDDLE_PC, [&] { return Load(bytes, at, to, order); }, [](int) { return true; });
}
void heddle_wide_store(size_t bytes, volatile void* at, void* from, int order) {
  InTurn(bytes, at, true, HEDDLE_PC, [&] { return Store(bytes, at, from, order); }, [](int) { return false; });
}
void heddle_wide_exchange(size_t bytes, volatile void* at, void* from, void* to, int order) {
  InTurn(bytes, at, true, HEDDLE_PC, [&] { return Exchange(bytes, at, from, to, order); }, [](int) { return false; });
}
// One that fails changes nothing, but counts as writing: whether it does is a question of more than eight bytes.
bool heddle_wide_compare(size_t bytes, volatile void* at, void* expected, void* desired, int order, int failure) {
  HEDDLE_WATCH_LOOP();
  return InTurn(
      bytes, at, true, HEDDLE_PC, [&] { return Compare(bytes, at, expected, desired, order, failure); },
      [](bool) { return false; });
}
