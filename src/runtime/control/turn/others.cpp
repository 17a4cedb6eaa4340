#include "runtime/control/turn/others.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/control/replay/demo.h"
#include "runtime/control/replay/replay.h"
#include "runtime/control/search/explore.h"
#include "runtime/control/turn/control.h"
#include "runtime/control/turn/logical_time.h"
#include "runtime/control/turn/scheduler_parts.h"
#include "runtime/control/turn/start.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::control {
namespace {

enum class Others : uint8_t { Unknown, Expected, Never };
Others g_others = Others::Unknown;
bool g_listens = false;
bool g_connects = false;
bool g_told = false;
constexpr dev_t kNullDevice = 0x103;  // 1, 3

// Asked of the kernel, which knows them however they were made and whoever reaped them.
bool HasChild() {
  KeepErrno keep;
  siginfo_t info;
  return Sys(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, nullptr) == 0;
}

// In a search or replay the first run has said it.
void Tell(const char* what) {
  if (g_told || Exploring() || IsReplay()) return;
  g_told = true;
  Message(what, ": waits last as long as they say (--time-mode virtual: they take no time)");
}

bool Expected() {
  if (g_others != Others::Unknown) return g_others == Others::Expected;
  if (!HasChild()) return false;
  Tell("the program has a child process");
  return true;
}

}  // namespace

void ExpectOthers(Outsider who) {
  g_listens |= who == Outsider::kClient;
  g_connects |= who == Outsider::kServer;
  // Clients of a program that is explored would have to come again for each execution; one that connects to a socket
  // of its own needs nobody.
  if (Exploring() && g_listens) return;
  if (g_others != Others::Unknown || g_by_arrival) return;
  g_others = Others::Expected;
  if (who == Outsider::kClient) Tell("the program listens on a socket");
  if (who == Outsider::kServer) Tell("the program connects to a socket");
  if (who == Outsider::kInput) Tell("the program waits for its standard input");
}

void ExpectInput(const pollfd* waits, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    struct stat about{};
    if (waits[i].fd != STDIN_FILENO || Sys(SYS_fstat, STDIN_FILENO, &about) != 0) continue;
    bool device = S_ISCHR(about.st_mode) && about.st_rdev != kNullDevice;
    if (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) || device) ExpectOthers(Outsider::kInput);
  }
}

void AlwaysExpectOthers() { g_others = Others::Expected; }
void NeverExpectOthers() { g_others = Others::Never; }
void ForgetOthers() { g_others = Others::Unknown; }

bool WaitsLast() { return RealTime() || (!g_by_arrival && !Replaying() && !Exploring() && Expected()); }

bool WaitsInPlace() {
  bool schedule_alone = Replaying() && g_demo != Demo::Play;
  return g_virtual_time && (Exploring() || schedule_alone) && Expected();
}

bool TalksOutside() { return g_connects && !g_listens; }

int WaitInPlace(pollfd* waits, uint32_t count, const timespec& span) {
  KeepErrno keep;
  timespec left = span;
  long ready = Sys(SYS_ppoll, waits, count, &left, nullptr, 0);
  return ready > 0 ? static_cast<int>(ready) : 0;
}

}  // namespace heddle::rt::control
