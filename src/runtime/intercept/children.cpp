#include "runtime/intercept/children.h"

#include <sys/syscall.h>
#include <time.h>

#include "runtime/control/replay/demo.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt {
namespace {

constexpr int kMaxChildren = 256;
constexpr int kLooks = 1000;
struct Child {
  pid_t told;
  pid_t made;
};
Child g_children[kMaxChildren];
int g_count = 0;
SpinLock g_lock;

pid_t MadeOf(pid_t told) {
  SpinHolder hold(g_lock);
  for (int i = 0; i < g_count; ++i) {
    if (g_children[i].told != told) continue;
    pid_t made = g_children[i].made;
    g_children[i] = g_children[--g_count];
    return made;
  }
  return 0;
}

}  // namespace

void NoteChild(pid_t told, pid_t made) {
  if (control::g_demo != control::Demo::Play) return;
  SpinHolder hold(g_lock);
  if (g_count < kMaxChildren) g_children[g_count++] = {told, made};
}

void AwaitMadeChild(pid_t told) {
  if (control::g_demo != control::Demo::Play) return;
  pid_t made = MadeOf(told);
  for (int i = 0; made != 0 && i < kLooks; ++i) {
    if (Sys(SYS_wait4, made, nullptr, 1 /* WNOHANG */, nullptr) != 0) return;
    timespec pause{0, 1'000'000};
    Sys(SYS_nanosleep, &pause, nullptr);
  }
}

}  // namespace heddle::rt
