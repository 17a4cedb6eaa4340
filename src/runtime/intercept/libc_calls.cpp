// The calls of src/calls/libc.calls that are no visible operations: what they read and write are accesses of the
// caller. The functions are generated, under names of their own: libc's headers declare some of them differently in
// C++.
#undef __OPTIMIZE__  // libc would define some of these inline

#include <arpa/inet.h>
#include <dirent.h>
#include <getopt.h>
#include <grp.h>
#include <iconv.h>
#include <mntent.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <termios.h>
#include <utime.h>

#include <cinttypes>

#include "runtime/control/replay/processes.h"
#include "runtime/control/search/gaps.h"
#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/ranges.h"
#include "runtime/message.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt {

void NoteUnfollowed(const char* call, bool* told) {
  if (control::g_demo != control::Demo::Record || Passive() || __atomic_exchange_n(told, true, __ATOMIC_RELAXED))
    return;
  control::NoteUnfollowedCall(call);
  Message("record: this call is not recorded, a replay makes it again: ", call);
}

}  // namespace heddle::rt

using namespace heddle::rt;  // NOLINT: this file is the C interface

#include "calls_interceptors.inc"
