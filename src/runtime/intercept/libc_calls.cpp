// The calls of src/calls/libc.calls that are no visible operations: what they read and write are accesses of the
// caller. The functions are generated, under names of their own: libc's headers declare some of them differently in
// C++.
#undef __OPTIMIZE__  // libc would define some of these inline

#include <arpa/inet.h>
#include <dirent.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cinttypes>

#include "runtime/control/search/gaps.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/ranges.h"
#include "runtime/raw_syscall.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

#include "calls_interceptors.inc"
