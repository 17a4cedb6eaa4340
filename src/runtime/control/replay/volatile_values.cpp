#include "runtime/control/replay/volatile_values.h"

#include <sys/syscall.h>

#include <climits>

#include "runtime/control/carrier/carrier.h"
#include "runtime/control/replay/demo.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

VolatileLooks::Look& LookAt(VolatileLooks& looks, uint64_t at) {
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  constexpr unsigned kShift = 61;  // the upper bits number kVolatilesKnown places
  static_assert(uint64_t{1} << (64 - kShift) == kVolatilesKnown);
  return looks.known[(at * kSpread) >> kShift];
}

uint64_t InMemory(const volatile void* at, uint64_t bytes) {
  switch (bytes) {
    case 1:
      return *static_cast<const volatile uint8_t*>(at);
    case 2:
      return *static_cast<const volatile uint16_t*>(at);
    case 4:
      return *static_cast<const volatile uint32_t*>(at);
    default:
      return *static_cast<const volatile uint64_t*>(at);
  }
}

// The value comes from the recording in any case. A writer that is far ahead already never brings it back, so few
// waits may be in vain.
void AwaitWriter(const volatile void* at, uint64_t bytes, uint64_t value) {
  constexpr uint64_t kLongest = 1'000'000'000;
  constexpr uint32_t kMostInVain = 4;
  static uint32_t in_vain = 0;
  if (g_carrier->is_fiber() || in_vain >= kMostInVain) return;
  uint64_t end = RealNow() + kLongest;
  while (InMemory(at, bytes) != value) {
    if (RealNow() > end) {
      ++in_vain;
      return;
    }
    Sys(SYS_sched_yield);
  }
}

}  // namespace

uint64_t VolatileLoaded(ControlThread* self, const volatile void* at, uint64_t bytes, uint64_t value) {
  if (g_demo == Demo::Off || !VolatilesAreRecorded()) return value;
  RuntimeScope scope;
  auto address = reinterpret_cast<uint64_t>(at);
  VolatileLooks& looks = self->volatiles;
  VolatileLooks::Look& look = LookAt(looks, address);
  ++looks.since;
  bool expected = look.at == address;
  if (g_demo == Demo::Record && !(expected && look.value == value && looks.since < INT_MAX)) {
    Keep(DemoCall::kVolatile, static_cast<int64_t>(value), looks.since, nullptr, 0, 0);
    looks.since = 0;
  }
  if (g_demo == Demo::Play) {
    uint64_t recorded = expected ? look.value : value;
    if (PlayVolatile(looks.since, &recorded)) {
      looks.since = 0;
      if (recorded != value) AwaitWriter(at, bytes, recorded);
    }
    value = recorded;
  }
  look = {address, value};
  return value;
}

}  // namespace heddle::rt::control
