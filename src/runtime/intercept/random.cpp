// Randomness that comes from outside, or whose order threads decide. Under control with virtual time the first comes
// from the seed and the thread's id, and the second is a visible operation.
#include "sched/random.h"

#include <sys/random.h>

#include <cstdlib>

#include "runtime/control/replay/demo.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler.h"
#include "runtime/libc/real.h"
#include "runtime/options.h"
#include "runtime/visible.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

bool Uncontrolled() { return Passive() || !control::Controlled() || !control::g_virtual_time; }

// A generator for each thread, so that no turn is needed.
uint64_t NextNumber() {
  control::ControlThread* self = control::Self();
  if (self->random_state == 0) {
    self->random_state = 0x9E3779B97F4A7C15ULL ^ g_options.seed;
    for (const char* at = self->id; *at != '\0'; ++at) {
      self->random_state = self->random_state * 0x100000001B3ULL + static_cast<unsigned char>(*at);
    }
  }
  heddle::sched::Random random(self->random_state);
  self->random_state += 0x9E3779B97F4A7C15ULL;
  return random.Next();
}

// Randomness that a recording keeps.
template <typename Call>
int64_t Kept(void* to, size_t bytes, Call call) {
  if (Passive() || !control::Controlled()) return call();
  iovec piece{to, bytes};
  return control::Recorded(control::DemoCall::kRandom, true, &piece, 1, call, [&](int64_t) { return bytes; });
}

void Fill(void* to, size_t bytes) {
  auto* out = static_cast<unsigned char*>(to);
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) number = NextNumber();
    out[i] = static_cast<unsigned char>(number >> (8 * (i % 8)));
  }
}

template <typename Call>
auto Ordered(const void* pc, Call call) {
  return control::CallInTurn(heddle::sched::kCall, 0, pc, call);
}

}  // namespace

HEDDLE_INTERCEPT ssize_t getrandom(void* to, size_t bytes, unsigned flags) {
  if (Uncontrolled()) {
    return Kept(to, bytes, [&] { return static_cast<int64_t>(REAL(getrandom)(to, bytes, flags)); });
  }
  Fill(to, bytes);
  return static_cast<ssize_t>(bytes);
}
HEDDLE_INTERCEPT int getentropy(void* to, size_t bytes) {
  if (Uncontrolled() || bytes > 256) {
    return static_cast<int>(Kept(to, bytes, [&] { return static_cast<int64_t>(REAL(getentropy)(to, bytes)); }));
  }
  Fill(to, bytes);
  return 0;
}
HEDDLE_INTERCEPT uint32_t arc4random() noexcept {
  if (Uncontrolled()) {
    return static_cast<uint32_t>(Kept(nullptr, 0, [] { return static_cast<int64_t>(REAL(arc4random)()); }));
  }
  return static_cast<uint32_t>(NextNumber());
}
HEDDLE_INTERCEPT void arc4random_buf(void* to, size_t bytes) noexcept {
  if (Uncontrolled()) {
    Kept(to, bytes, [&] {
      REAL(arc4random_buf)(to, bytes);
      return int64_t{0};
    });
    return;
  }
  Fill(to, bytes);
}
HEDDLE_INTERCEPT uint32_t arc4random_uniform(uint32_t bound) noexcept {
  if (Uncontrolled()) {
    return static_cast<uint32_t>(
        Kept(nullptr, 0, [&] { return static_cast<int64_t>(REAL(arc4random_uniform)(bound)); }));
  }
  return bound == 0 ? 0 : static_cast<uint32_t>(NextNumber() % bound);
}

// std::random_device asks the processor; it is libstdc++'s and absent in C programs.
HEDDLE_INTERCEPT unsigned HeddleRandomDevice(void* device) asm("_ZNSt13random_device9_M_getvalEv");
HEDDLE_INTERCEPT unsigned HeddleRandomDevice(void* device) {
  static auto real = reinterpret_cast<unsigned (*)(void*)>(FindCxx("_ZNSt13random_device9_M_getvalEv"));
  if (Uncontrolled())
    return static_cast<unsigned>(Kept(nullptr, 0, [&] { return static_cast<int64_t>(real(device)); }));
  return static_cast<unsigned>(NextNumber());
}

// One generator for the whole process: who comes first matters.
HEDDLE_INTERCEPT int rand() noexcept {
  if (Passive() || !control::Controlled()) return REAL(rand)();
  return Ordered(HEDDLE_PC, [] { return REAL(rand)(); });
}
HEDDLE_INTERCEPT long random() noexcept {
  if (Passive() || !control::Controlled()) return REAL(random)();
  return Ordered(HEDDLE_PC, [] { return REAL(random)(); });
}
HEDDLE_INTERCEPT double drand48() noexcept {
  if (Passive() || !control::Controlled()) return REAL(drand48)();
  return Ordered(HEDDLE_PC, [] { return REAL(drand48)(); });
}
HEDDLE_INTERCEPT long lrand48() noexcept {
  if (Passive() || !control::Controlled()) return REAL(lrand48)();
  return Ordered(HEDDLE_PC, [] { return REAL(lrand48)(); });
}
