// Calls whose results a recording keeps in a shape that the table cannot say (src/calls/libc.calls): texts in memory of
// libc, lists, folders, pieces of memory.
#undef __OPTIMIZE__  // libc would define some of these inline

#include <dirent.h>
#include <netdb.h>
#include <spawn.h>

#include <climits>
#include <cstdarg>
#include <cstdlib>

#include "runtime/detect/descriptors.h"
#include "runtime/intercept/away.h"
#include "runtime/intercept/children.h"
#include "runtime/intercept/closing.h"
#include "runtime/intercept/kept_variables.h"
#include "runtime/intercept/ranges.h"
#include "runtime/libc/real.h"
#include "runtime/message.h"

using namespace heddle::rt;  // NOLINT: this file is the C interface

namespace {

using control::DemoCall;

bool Plays() { return !Uncontrolled() && control::g_demo == control::Demo::Play; }
bool Records() { return !Uncontrolled() && control::g_demo == control::Demo::Record; }

void NoteText(const char* text, const void* pc, bool writes) {
  if (text == nullptr || !IsWatchedCall(const_cast<void*>(pc))) return;
  if (writes) {
    WritesRange(const_cast<void*>(pc), text, Text(text));
  } else {
    ReadsRange(const_cast<void*>(pc), text, Text(text));
  }
}

// A text that the call leaves at `to`, which has room for `room` bytes, or in memory that the caller frees. The call is
// made in a replay too, for what it does to the heap: addresses must not differ.
template <typename Call>
char* KeptText(char* to, size_t room, Call call) {
  char* text = nullptr;
  char given[PATH_MAX + 1] = "";
  iovec piece{given, PATH_MAX};
  if (Records()) {
    text = call();
    int error = errno;
    size_t bytes = text == nullptr ? 0 : REAL(strlen)(text) + 1;
    piece = {text, bytes};
    control::Keep(DemoCall::kOutside, text == nullptr ? -1 : 0, error, &piece, 1, bytes);
    if (to == nullptr && text != nullptr) {
      char* made = strdup(text);
      free(text);
      text = made;
    }
    errno = error;
    return text;
  }
  int64_t result = 0;
  if (!Plays() || !control::PlayBack(DemoCall::kOutside, &result, &piece, 1)) return call();
  int error = errno;
  text = call();
  if (to == nullptr) free(text);
  errno = error;
  if (result < 0) return nullptr;
  if (to == nullptr) return strdup(given);
  size_t bytes = REAL(strlen)(given) + 1;
  memcpy(to, given, bytes < room ? bytes : room);
  return to;
}

// Folders. What readdir returns lies in memory of libc; in a replay in ours.
struct Folder {
  DIR* folder = nullptr;
  dirent64 entry{};
};
constexpr int kMaxFolders = 64;
Folder g_folders[kMaxFolders];
SpinLock g_folders_lock;

dirent64* EntryRoom(DIR* folder) {
  SpinHolder hold(g_folders_lock);
  Folder* free = nullptr;
  for (Folder& at : g_folders) {
    if (at.folder == folder) return &at.entry;
    if (free == nullptr && at.folder == nullptr) free = &at;
  }
  if (free == nullptr) free = &g_folders[0];
  free->folder = folder;
  return &free->entry;
}
void ForgetFolder(const DIR* folder) {
  SpinHolder hold(g_folders_lock);
  for (Folder& at : g_folders) {
    if (at.folder == folder) at.folder = nullptr;
  }
}

template <typename Call>
dirent64* NextEntry(DIR* folder, Call call) {
  if (Records()) {
    dirent64* entry = call();
    int error = errno;
    iovec piece{entry, entry == nullptr ? size_t{0} : entry->d_reclen};
    control::Keep(DemoCall::kOutside, entry == nullptr ? -1 : 0, error, &piece, 1, piece.iov_len);
    errno = error;
    return entry;
  }
  if (!Plays()) return call();
  dirent64* room = EntryRoom(folder);
  iovec piece{room, sizeof *room};
  int64_t result = 0;
  if (!control::PlayBack(DemoCall::kOutside, &result, &piece, 1)) return call();
  return result < 0 ? nullptr : room;
}

dirent64* ReadFolder(DIR* folder, const void* pc) {
  static auto* const real = reinterpret_cast<dirent64* (*)(DIR*)>(FindNext("readdir64"));
  dirent64* entry = NextEntry(folder, [&] { return real(folder); });
  if (entry != nullptr && IsWatchedCall(const_cast<void*>(pc)))
    WritesRange(const_cast<void*>(pc), entry, entry->d_reclen);
  return entry;
}

// A list of addresses as bytes: for each of them the fixed part, the address and the name.
struct KeptAddress {
  int32_t flags, family, type, protocol;
  uint32_t bytes, name;
  char address[128];
  char text[256];
};
constexpr int kMaxAddresses = 32;

int FlattenAddresses(const addrinfo* from, KeptAddress* to) {
  int count = 0;
  for (; from != nullptr && count < kMaxAddresses; from = from->ai_next, ++count) {
    KeptAddress& at = to[count];
    at = {from->ai_flags, from->ai_family, from->ai_socktype, from->ai_protocol, from->ai_addrlen, 0, {}, {}};
    if (from->ai_addr != nullptr && from->ai_addrlen <= sizeof at.address)
      memcpy(at.address, from->ai_addr, from->ai_addrlen);
    if (from->ai_canonname == nullptr) continue;
    at.name = 1;
    REAL(strncpy)(at.text, from->ai_canonname, sizeof at.text - 1);
  }
  return count;
}
// As libc lays them out: each in one block with its address, so that its own freeaddrinfo frees them.
addrinfo* MakeAddresses(const KeptAddress* from, int count) {
  addrinfo* first = nullptr;
  for (int i = count - 1; i >= 0; --i) {
    auto* made = static_cast<addrinfo*>(calloc(1, sizeof(addrinfo) + sizeof from[i].address));
    if (made == nullptr) return first;
    auto* address = reinterpret_cast<sockaddr*>(made + 1);
    memcpy(address, from[i].address, sizeof from[i].address);
    *made = {from[i].flags,
             from[i].family,
             from[i].type,
             from[i].protocol,
             from[i].bytes,
             address,
             from[i].name != 0 ? strdup(from[i].text) : nullptr,
             first};
    first = made;
  }
  return first;
}

template <typename Call>
ssize_t KeptPieces(int fd, const iovec* pieces, int count, bool reads, Call call) {
  if (Uncontrolled()) return call();
  bool made = false;
  int64_t n = control::Recorded(
      DemoCall::kOutside, control::IsRecorded(fd), reads ? pieces : nullptr, reads ? count : 0,
      [&] {
        made = true;
        return static_cast<int64_t>(call());
      },
      [&](int64_t bytes) { return reads ? static_cast<uint64_t>(bytes) : uint64_t{0}; });
  if (!made && !reads && control::IsOwnPlace(fd)) {
    KeepErrno keep;
    call();
  }
  return static_cast<ssize_t>(n);
}

template <typename Call>
ssize_t ReadAt(int fd, const iovec* pieces, int count, const void* pc, Call call) {
  ssize_t n = KeptPieces(fd, pieces, count, true, call);
  if (n > 0 && IsWatchedCall(const_cast<void*>(pc))) WritesPieces(const_cast<void*>(pc), pieces, count, n);
  return n;
}
template <typename Call>
ssize_t WriteAt(int fd, const iovec* pieces, int count, const void* pc, Call call) {
  if (IsWatchedCall(const_cast<void*>(pc))) ReadsPieces(const_cast<void*>(pc), pieces, count);
  return KeptPieces(fd, pieces, count, false, call);
}

template <typename Call>
int Spawn(pid_t* process, const char* path, Call call) {
  if (Uncontrolled()) return call(process);
  if (control::GuardsFiles() && !control::KernelGuardsFiles() && control::g_demo != control::Demo::Play) return ENOSYS;
  pid_t own = 0;
  pid_t* out = process == nullptr ? &own : process;
  pid_t made = 0;
  bool again = Plays() && control::KernelGuardsFiles();
  if (Plays() && !again) Message("replay: is not executed again: ", path);
  iovec piece{out, sizeof *out};
  return control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [&] {
    auto result = static_cast<int>(control::Recorded(
        DemoCall::kIds, true, &piece, 1, [&] { return static_cast<int64_t>(call(out)); },
        [&](int64_t) { return sizeof *out; }));
    if (again && result == 0 && call(&made) == 0) NoteChild(*out, made);
    return result;
  });
}

}  // namespace

HEDDLE_INTERCEPT char* realpath(const char* path, char* to) noexcept {
  static auto* const real = reinterpret_cast<char* (*)(const char*, char*)>(FindNext("realpath"));
  NoteText(path, HEDDLE_PC, false);
  char* text = KeptText(to, PATH_MAX, [&] { return real(path, to); });
  if (to != nullptr) NoteText(text, HEDDLE_PC, true);
  return text;
}
HEDDLE_INTERCEPT char* getcwd(char* to, size_t bytes) noexcept {
  static auto* const real = reinterpret_cast<char* (*)(char*, size_t)>(FindNext("getcwd"));
  char* text = KeptText(to, bytes, [&] { return real(to, bytes); });
  if (to != nullptr) NoteText(text, HEDDLE_PC, true);
  return text;
}
// Made again, so that files are found; into a folder that the recorded run made nobody can go.
HEDDLE_INTERCEPT int chdir(const char* path) noexcept {
  static auto* const real = reinterpret_cast<int (*)(const char*)>(FindNext("chdir"));
  NoteText(path, HEDDLE_PC, false);
  int here = Uncontrolled() || Plays() ? real(path) : 0;
  if (Uncontrolled()) return here;
  return static_cast<int>(Kept(DemoCall::kOutside, nullptr, 0, [&] { return Plays() ? here : real(path); }));
}

HEDDLE_INTERCEPT DIR* opendir(const char* path) {
  static auto* const real = reinterpret_cast<DIR* (*)(const char*)>(FindNext("opendir"));
  NoteText(path, HEDDLE_PC, false);
  if (Uncontrolled() || control::g_demo == control::Demo::Off) return real(path);
  DIR* folder = nullptr;
  int64_t result = control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [&] {
    return KeptInTurn(DemoCall::kOpen, nullptr, 0, [&] {
      folder = real(path);
      return folder == nullptr ? -1 : 0;
    });
  });
  if (result < 0 || folder != nullptr) return folder;
  KeepErrno keep;
  folder = real(path);
  return folder != nullptr ? folder : real("/");  // a folder that the recorded run made: its entries are given back
}
HEDDLE_INTERCEPT int closedir(DIR* folder) {
  static auto* const real = reinterpret_cast<int (*)(DIR*)>(FindNext("closedir"));
  if (Uncontrolled()) return Closing(dirfd(folder), HEDDLE_PC, [&] { return real(folder); });
  ForgetFolder(folder);
  return control::CallInTurn(heddle::sched::kCall, 0, HEDDLE_PC, [&] { return real(folder); });
}
HEDDLE_INTERCEPT dirent64* readdir64(DIR* folder) { return ReadFolder(folder, HEDDLE_PC); }
HEDDLE_INTERCEPT dirent* readdir(DIR* folder) {
  static_assert(sizeof(dirent) == sizeof(dirent64));
  return reinterpret_cast<dirent*>(ReadFolder(folder, HEDDLE_PC));
}

// The same as libc's, with the calls above.
static dirent64* CopyEntry(const dirent64* entry) {
  auto* copy = static_cast<dirent64*>(malloc(entry->d_reclen));
  if (copy != nullptr) memcpy(copy, entry, entry->d_reclen);
  return copy;
}
HEDDLE_INTERCEPT int scandir64(const char* path, dirent64*** to, int (*wanted)(const dirent64*),
                               int (*compare)(const dirent64**, const dirent64**)) {
  DIR* folder = opendir(path);
  if (folder == nullptr) return -1;
  dirent64** list = nullptr;
  size_t count = 0;
  size_t room = 0;
  bool full = false;
  for (dirent64* entry = nullptr; !full && (entry = readdir64(folder)) != nullptr;) {
    if (wanted != nullptr && wanted(entry) == 0) continue;
    if (count == room) {
      room = room == 0 ? 16 : 2 * room;
      void* larger = realloc(static_cast<void*>(list), room * sizeof *list);
      full = larger == nullptr;
      if (full) break;
      list = static_cast<dirent64**>(larger);
    }
    list[count] = CopyEntry(entry);
    full = list[count++] == nullptr;
  }
  closedir(folder);
  if (full) {
    for (size_t i = 0; i < count; ++i) free(list[i]);
    free(static_cast<void*>(list));
    errno = ENOMEM;
    return -1;
  }
  if (compare != nullptr && count > 1)
    qsort(static_cast<void*>(list), count, sizeof *list, reinterpret_cast<int (*)(const void*, const void*)>(compare));
  *to = list;
  return static_cast<int>(count);
}
HEDDLE_INTERCEPT int scandir(const char* path, dirent*** to, int (*wanted)(const dirent*),
                             int (*compare)(const dirent**, const dirent**)) {
  return scandir64(path, reinterpret_cast<dirent64***>(to), reinterpret_cast<int (*)(const dirent64*)>(wanted),
                   reinterpret_cast<int (*)(const dirent64**, const dirent64**)>(compare));
}

HEDDLE_INTERCEPT int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** to) {
  static auto* const real =
      reinterpret_cast<int (*)(const char*, const char*, const addrinfo*, addrinfo**)>(FindNext("getaddrinfo"));
  NoteText(node, HEDDLE_PC, false);
  NoteText(service, HEDDLE_PC, false);
  auto note = [&](int result) {
    if (result == 0 && IsWatchedCall(HEDDLE_PC)) WritesRange(HEDDLE_PC, static_cast<void*>(to), sizeof *to);
    return result;
  };
  if (Uncontrolled() || control::g_demo == control::Demo::Off) return note(real(node, service, hints, to));
  // Made in a replay too, for what it does to the heap: addresses must not differ.
  KeptAddress list[kMaxAddresses];
  iovec piece{list, sizeof list};
  addrinfo* found = nullptr;
  int result = Away(HEDDLE_PC, [&] { return real(node, service, hints, &found); });
  int64_t count = result == 0 ? FlattenAddresses(found, list) : 0;
  if (result == 0) freeaddrinfo(found);
  if (Records()) {
    control::Keep(DemoCall::kOutside, count, result, &piece, 1, static_cast<size_t>(count) * sizeof list[0]);
  } else if (control::PlayBack(DemoCall::kOutside, &count, &piece, 1)) {
    result = errno;
  }
  if (result == 0) *to = MakeAddresses(list, static_cast<int>(count));
  return note(result);
}
HEDDLE_INTERCEPT int getnameinfo(const sockaddr* from, socklen_t bytes, char* host, socklen_t host_bytes, char* service,
                                 socklen_t service_bytes, int flags) {
  using Real = int(const sockaddr*, socklen_t, char*, socklen_t, char*, socklen_t, int);
  static auto* const real = reinterpret_cast<Real*>(FindNext("getnameinfo"));
  auto call = [&] { return real(from, bytes, host, host_bytes, service, service_bytes, flags); };
  int result = 0;
  if (Uncontrolled()) {
    result = call();
  } else {
    iovec pieces[] = {{host, host == nullptr ? 0 : host_bytes}, {service, service == nullptr ? 0 : service_bytes}};
    int64_t kept = control::Recorded(
        DemoCall::kOutside, true, pieces, 2, [&] { return static_cast<int64_t>(call()); },
        [&](int64_t) { return pieces[0].iov_len + pieces[1].iov_len; });
    result = static_cast<int>(kept);
  }
  if (result == 0 && host_bytes > 0) NoteText(host, HEDDLE_PC, true);
  if (result == 0 && service_bytes > 0) NoteText(service, HEDDLE_PC, true);
  return result;
}

#define HEDDLE_PREADV(name, off)                                                                           \
  HEDDLE_INTERCEPT ssize_t name(int fd, const iovec* to, int count, off at) {                              \
    static auto* const real = reinterpret_cast<ssize_t (*)(int, const iovec*, int, off)>(FindNext(#name)); \
    return ReadAt(fd, to, count, HEDDLE_PC, [&] { return real(fd, to, count, at); });                      \
  }
#define HEDDLE_PWRITEV(name, off)                                                                          \
  HEDDLE_INTERCEPT ssize_t name(int fd, const iovec* from, int count, off at) {                            \
    static auto* const real = reinterpret_cast<ssize_t (*)(int, const iovec*, int, off)>(FindNext(#name)); \
    return WriteAt(fd, from, count, HEDDLE_PC, [&] { return real(fd, from, count, at); });                 \
  }
HEDDLE_PREADV(preadv, off_t)
HEDDLE_PREADV(preadv64, off64_t)
HEDDLE_PWRITEV(pwritev, off_t)
HEDDLE_PWRITEV(pwritev64, off64_t)

// Printed as any other bytes that are written.
HEDDLE_INTERCEPT int vdprintf(int fd, const char* format, va_list list) {
  static auto* const real = reinterpret_cast<int (*)(int, const char*, va_list)>(FindNext("vdprintf"));
  if (IsWatchedCall(HEDDLE_PC)) {
    va_list copy;
    va_copy(copy, list);
    ReadsPrinted(HEDDLE_PC, format, copy);
    va_end(copy);
  }
  if (Uncontrolled()) {
    detect::WritingEnds(fd);
    return real(fd, format, list);
  }
  char* text = nullptr;
  int bytes = vasprintf(&text, format, list);
  if (bytes < 0) return bytes;
  OnBehalfOf caller(HEDDLE_PC);
  auto n = static_cast<int>(write(fd, text, static_cast<size_t>(bytes)));
  free(text);
  return n;
}
HEDDLE_INTERCEPT int dprintf(int fd, const char* format, ...) {
  va_list list;
  va_start(list, format);
  OnBehalfOf caller(HEDDLE_PC);
  int n = vdprintf(fd, format, list);
  va_end(list);
  return n;
}

// Processes: a replay makes them again for what they print, where the kernel keeps them from writing files.
HEDDLE_INTERCEPT int system(const char* command) {
  static auto* const real = reinterpret_cast<int (*)(const char*)>(FindNext("system"));
  NoteText(command, HEDDLE_PC, false);
  bool plays = Plays() && command != nullptr;
  if (plays && !control::KernelGuardsFiles()) Message("replay: is not executed again: ", command);
  auto start = [command] {
    control::ShownVariables shown;
    return static_cast<int64_t>(real(command));
  };
  return Away(HEDDLE_PC, [&] {
    if (plays && control::KernelGuardsFiles()) start();
    return static_cast<int>(Kept(DemoCall::kWait, nullptr, 0, start));
  });
}
#define HEDDLE_SPAWN(name)                                                                                             \
  HEDDLE_INTERCEPT int name(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,               \
                            const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {     \
    static auto* const real = reinterpret_cast<decltype(&name)>(FindNext(#name));                                      \
    return Spawn(process, path, [&](pid_t* to) {                                                                       \
      return WithKeptVariables(                                                                                        \
          environment, [&](char* const* variables) { return real(to, path, actions, attributes, words, variables); }); \
    });                                                                                                                \
  }
HEDDLE_SPAWN(posix_spawn)
HEDDLE_SPAWN(posix_spawnp)

// What fortified programs call.
HEDDLE_INTERCEPT ssize_t __read_chk(int fd, void* to, size_t bytes, size_t) {
  OnBehalfOf caller(HEDDLE_PC);
  return read(fd, to, bytes);
}
HEDDLE_INTERCEPT ssize_t __recv_chk(int fd, void* to, size_t bytes, size_t, int flags) {
  OnBehalfOf caller(HEDDLE_PC);
  return recv(fd, to, bytes, flags);
}
HEDDLE_INTERCEPT ssize_t __recvfrom_chk(int fd, void* to, size_t bytes, size_t, int flags, sockaddr* address,
                                        socklen_t* length) {
  OnBehalfOf caller(HEDDLE_PC);
  return recvfrom(fd, to, bytes, flags, address, length);
}
HEDDLE_INTERCEPT ssize_t __pread_chk(int fd, void* to, size_t bytes, off_t at, size_t) {
  OnBehalfOf caller(HEDDLE_PC);
  return pread(fd, to, bytes, at);
}
HEDDLE_INTERCEPT ssize_t __pread64_chk(int fd, void* to, size_t bytes, off64_t at, size_t) {
  OnBehalfOf caller(HEDDLE_PC);
  return pread64(fd, to, bytes, at);
}
HEDDLE_INTERCEPT int __poll_chk(pollfd* waits, nfds_t count, int timeout, size_t) {
  OnBehalfOf caller(HEDDLE_PC);
  return poll(waits, count, timeout);
}
HEDDLE_INTERCEPT int __ppoll_chk(pollfd* waits, nfds_t count, const timespec* span, const sigset_t* mask, size_t) {
  OnBehalfOf caller(HEDDLE_PC);
  return ppoll(waits, count, span, mask);
}
HEDDLE_INTERCEPT char* __realpath_chk(const char* path, char* to, size_t) noexcept {
  OnBehalfOf caller(HEDDLE_PC);
  return realpath(path, to);
}
HEDDLE_INTERCEPT char* __getcwd_chk(char* to, size_t bytes, size_t) noexcept {
  OnBehalfOf caller(HEDDLE_PC);
  return getcwd(to, bytes);
}
HEDDLE_INTERCEPT ssize_t __readlink_chk(const char* path, char* to, size_t bytes, size_t) noexcept {
  OnBehalfOf caller(HEDDLE_PC);
  return readlink(path, to, bytes);
}
HEDDLE_INTERCEPT int __gethostname_chk(char* to, size_t bytes, size_t) noexcept {
  OnBehalfOf caller(HEDDLE_PC);
  return gethostname(to, bytes);
}
HEDDLE_INTERCEPT int __vdprintf_chk(int fd, int, const char* format, va_list list) {
  OnBehalfOf caller(HEDDLE_PC);
  return vdprintf(fd, format, list);
}
HEDDLE_INTERCEPT int __dprintf_chk(int fd, int, const char* format, ...) {
  va_list list;
  va_start(list, format);
  OnBehalfOf caller(HEDDLE_PC);
  int n = vdprintf(fd, format, list);
  va_end(list);
  return n;
}
