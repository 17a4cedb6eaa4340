#include "analysis/target/shared_core.h"

namespace heddle::analysis {
namespace {

// The mask of the thread that holds itself; one at a time does.
cpu_set_t g_given;
bool g_held = false;

bool Pin(pid_t process, int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(process, sizeof one, &one) == 0;
}

}  // namespace

void GiveBackProcessors() {
  if (g_held) sched_setaffinity(0, sizeof g_given, &g_given);
}

void SharedCore::LetGo() {
  if (!held_) return;
  GiveBackProcessors();
  held_ = g_held = false;
}

void SharedCore::Hold(pid_t other, Clock::time_point now) {
  constexpr std::chrono::milliseconds kLong{50};
  if (held_) {
    if (other != other_ || now - since_ > kLong) LetGo();
    return;
  }
  if (other <= 0 || g_held || sched_getaffinity(0, sizeof g_given, &g_given) != 0) return;
  int processor = sched_getcpu();
  if (processor < 0 || processor >= CPU_SETSIZE || !Pin(other, processor)) return;
  held_ = g_held = true;
  other_ = other;
  since_ = now;
  if (!Pin(0, processor)) LetGo();
}

}  // namespace heddle::analysis
