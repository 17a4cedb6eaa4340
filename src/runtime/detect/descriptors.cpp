#include "runtime/detect/descriptors.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "runtime/detect/access.h"
#include "runtime/detect/history.h"
#include "runtime/detect/objects.h"
#include "runtime/detect/polled.h"
#include "runtime/detect/shadow.h"
#include "runtime/detect/state.h"
#include "runtime/mode.h"
#include "runtime/raw_syscall.h"

namespace heddle::rt::detect {
namespace {

struct Keys {
  uint64_t read;   // 0: not looked at
  uint64_t write;  // of both, kNoOrder: it orders nobody
};
constexpr uint64_t kNoOrder = 1;
constexpr uint64_t kDatagrams = 2;
constexpr uint64_t kUnnamed = 3;
constexpr uint64_t kAll = 4;
constexpr uint64_t kSignalFiles = 5;
constexpr uint64_t kChanges = 6;
constexpr uint64_t kFirstFree = 16;

Keys g_keys[kDescriptors];
uint64_t g_next_key = kFirstFree;
bool g_all_as_one = false;
bool g_signal_descriptors = false;
bool g_files_watched = false;
// Whether a descriptor has another end within the program's reach: a pipe or a socket. 0: not looked at.
enum Channel : uint8_t { kUnknown, kNotOne, kIsOne };
uint8_t g_channels[kDescriptors];
// Whether the number is in use, as far as calls were seen.
enum Life : uint8_t { kLive, kClosing, kClosed };
uint8_t g_lives[kDescriptors];

uint64_t FreshKey() { return __atomic_fetch_add(&g_next_key, 1, __ATOMIC_RELAXED); }

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 29U;
}
// Far from the keys that are counted.
uint64_t Hashed(uint64_t kind, uint64_t a, uint64_t b) { return Mix(Mix(Mix(kind, a), b), kind) | uint64_t{1} << 63U; }

union Address {
  sockaddr any;
  sockaddr_in in;
  sockaddr_in6 in6;
  sockaddr_un un;
};

// A port, or a hash of a path; 0: none.
uint64_t NameOf(const Address& address, uint32_t bytes) {
  if (bytes < sizeof(sa_family_t)) return 0;
  if (address.any.sa_family == AF_INET) return address.in.sin_port;
  if (address.any.sa_family == AF_INET6) return address.in6.sin6_port;
  if (address.any.sa_family != AF_UNIX || bytes <= sizeof(sa_family_t)) return 0;
  uint64_t hash = 0;
  uint32_t length = bytes - static_cast<uint32_t>(sizeof(sa_family_t));
  for (uint32_t i = 0; i < length && i < sizeof address.un.sun_path; ++i) {
    char c = address.un.sun_path[i];
    if (c == '\0' && i > 0) break;
    hash = Mix(hash, static_cast<unsigned char>(c) + 1U);
  }
  return hash;
}

uint64_t SocketName(long call, uint64_t fd, bool* is_unix) {
  Address address{};
  uint32_t bytes = sizeof address;
  if (Sys(call, fd, &address, &bytes) != 0) return 0;
  *is_unix = address.any.sa_family == AF_UNIX;
  return NameOf(address, bytes);
}

bool IsDatagram(uint64_t fd) {
  int type = 0;
  uint32_t bytes = sizeof type;
  return Sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type != SOCK_STREAM &&
         type != SOCK_SEQPACKET;
}

// `lasting`: it stays so until the descriptor is closed.
Keys KeysOfSocket(uint64_t fd, bool* lasting) {
  bool is_unix = false;
  if (IsDatagram(fd)) return {kDatagrams, kDatagrams};
  uint64_t own = SocketName(SYS_getsockname, fd, &is_unix);
  uint64_t peer = SocketName(SYS_getpeername, fd, &is_unix);
  if (is_unix) {
    uint64_t path = own != 0 ? own : peer;
    *lasting = path != 0;
    uint64_t key = path != 0 ? Hashed(1, path, 0) : kUnnamed;
    return {key, key};
  }
  if (own == 0 || peer == 0) {
    *lasting = false;
    return {kUnnamed, kUnnamed};
  }
  return {Hashed(2, peer, own), Hashed(2, own, peer)};
}

Keys LookAt(uint64_t fd, bool* lasting) {
  KeepErrno keep;
  struct stat about{};
  *lasting = true;
  if (Sys(SYS_fstat, fd, &about) != 0 || S_ISCHR(about.st_mode)) return {kNoOrder, kNoOrder};
  if (S_ISSOCK(about.st_mode)) return KeysOfSocket(fd, lasting);
  bool anonymous = (about.st_mode & S_IFMT) == 0;  // all of them have one file number
  uint64_t key = anonymous ? FreshKey() : Hashed(3, about.st_dev, about.st_ino);
  return {key, key};
}

Keys KeysOf(uint64_t fd) {
  if (!IsFollowed(fd)) {
    OrderAllDescriptors();
    return {kAll, kAll};
  }
  Keys known = {__atomic_load_n(&g_keys[fd].read, __ATOMIC_ACQUIRE), g_keys[fd].write};
  if (known.read != 0) return known;
  bool lasting = false;
  Keys keys = LookAt(fd, &lasting);
  if (lasting) {
    g_keys[fd].write = keys.write;
    __atomic_store_n(&g_keys[fd].read, keys.read, __ATOMIC_RELEASE);
  }
  return keys;
}

void Remember(int fd, const Keys& keys) {
  if (fd < 0) return;
  if (!IsFollowed(static_cast<uint64_t>(fd))) return OrderAllDescriptors();
  g_keys[fd].write = keys.write;
  __atomic_store_n(&g_keys[fd].read, keys.read, __ATOMIC_RELEASE);
}

bool IsChannel(uint64_t fd) {
  if (!IsFollowed(fd)) return true;
  uint8_t known = __atomic_load_n(&g_channels[fd], __ATOMIC_RELAXED);
  if (known != kUnknown) return known == kIsOne;
  KeepErrno keep;
  struct stat about{};
  bool is = Sys(SYS_fstat, fd, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
  __atomic_store_n(&g_channels[fd], is ? kIsOne : kNotOne, __ATOMIC_RELAXED);
  return is;
}

bool AllAsOne(uint64_t key) { return key != kAll && __atomic_load_n(&g_all_as_one, __ATOMIC_RELAXED); }

void ReleaseOne(DetectThread* self, uint64_t key) {
  SyncObject* object = DescriptorObject(key);
  StripeHolder hold(object->address);
  Release(self->order, object->order);
}
void ReleaseKey(DetectThread* self, uint64_t key) {
  if (key == kNoOrder) return;
  ReleaseOne(self, key);
  if (AllAsOne(key)) ReleaseOne(self, kAll);
}
void AcquireOne(DetectThread* self, uint64_t key) {
  SyncObject* object = DescriptorObject(key);
  StripeHolder hold(object->address);
  Acquire(self->order, object->order);
}
void AcquireKey(DetectThread* self, uint64_t key) {
  if (key == kNoOrder) return;
  AcquireOne(self, key);
  if (AllAsOne(key)) AcquireOne(self, kAll);
}

void ReleaseNumber(DetectThread* self, uint64_t fd) {
  StripeHolder hold(NumberWord(fd));
  SyncObject* object = FindOrMakeObject(NumberWord(fd));
  if (object != nullptr) Release(self->order, object->order);
}
void AcquireNumber(DetectThread* self, uint64_t fd) {
  StripeHolder hold(NumberWord(fd));
  SyncObject* object = FindObject(NumberWord(fd));
  if (object != nullptr) Acquire(self->order, object->order);
}

void Open(DetectThread* self, uint64_t fd) {
  if (!IsFollowed(fd)) return AcquireKey(self, KeysOf(fd).read);
  AcquireNumber(self, fd);
  ForgetCells(NumberWord(fd), 8);
  __atomic_store_n(&g_lives[fd], kLive, __ATOMIC_RELAXED);
}

bool IsOpenInKernel(uint64_t fd) {
  KeepErrno keep;
  return Sys(SYS_fcntl, fd, F_GETFD) >= 0;
}

// A use (atomic) or end (write) of the number itself. A number that was closed and works was opened by code that is not
// seen, as libc's own in tmpfile or mkstemp: that is a new life, and not a use of the old one.
void CheckNumber(DetectThread* self, uint64_t fd, uint8_t flags, uint64_t pc) {
  if (t_hot.ignore != 0 || !IsFollowed(fd)) return;
  if (__atomic_load_n(&g_lives[fd], __ATOMIC_RELAXED) == kClosed && IsOpenInKernel(fd)) Open(self, fd);
  CheckAccess(self, NumberWord(fd), 8, flags, pc);
}

void Close(DetectThread* self, const Op& op) {
  uint64_t fd = op.address;
  ReleaseKey(self, KeysOf(fd).write);  // the other end reads that there is no more
  uint8_t flags = op.arg2 == kReplaced ? kAccessWrite | kAccessAtomic : kAccessWrite;
  if (!IsFollowed(fd)) return;
  CheckNumber(self, fd, flags, op.pc);
  if (op.arg2 != kReplaced) __atomic_store_n(&g_lives[fd], kClosing, __ATOMIC_RELAXED);
  __atomic_store_n(&g_keys[fd].read, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&g_channels[fd], kUnknown, __ATOMIC_RELAXED);
  NoLongerWatched(static_cast<int>(fd));
  ReleaseNumber(self, fd);
}

// Runs `act(self)` if the calling thread is watched.
template <typename Act>
void AsSelf(Act act) {
  if (g_mode != Mode::Detect || Passive()) return;
  RuntimeScope scope;
  KeepErrno keep;
  DetectThread* self = Self();
  if (self == nullptr) return;
  act(self);
  __heddle_segment = self->order.Segment();
}

constexpr uint64_t kConnection = 4;

}  // namespace

void OrderAllDescriptors() { __atomic_store_n(&g_all_as_one, true, __ATOMIC_RELAXED); }

void DescriptorOperation(DetectThread* self, const Op& op) {
  bool failed = op.result != static_cast<uint8_t>(Outcome::Success);
  switch (op.kind) {
    case Kind::FdWrite:
      CheckNumber(self, op.address, kAccessAtomic, op.pc);
      return ReleaseKey(self, KeysOf(op.address).write);
    case Kind::FdRead:
      if (!failed) AcquireKey(self, KeysOf(op.address).read);
      return;
    case Kind::FdClose:
      return Close(self, op);
    default:
      return Open(self, op.address);
  }
}

void DescriptorUsed(int fd, const void* pc) {
  if (fd < 0) return;
  AsSelf([&](DetectThread* self) {
    CheckNumber(self, static_cast<uint64_t>(fd), kAccessAtomic, reinterpret_cast<uint64_t>(pc));
  });
}

// Whoever opens the number again in the meantime has said so already, and that stays.
void DescriptorClosed(int fd) {
  if (fd < 0 || !IsFollowed(static_cast<uint64_t>(fd))) return;
  uint8_t closing = kClosing;
  __atomic_compare_exchange_n(&g_lives[fd], &closing, kClosed, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void DescriptorPair(const int pair[2], bool crossed) {
  AsSelf([&](DetectThread*) {
    Keys keys{FreshKey(), 0};
    keys.write = crossed ? FreshKey() : keys.read;
    Remember(pair[0], keys);
    Remember(pair[1], {keys.write, keys.read});
  });
}

void DescriptorCopied(int from, int to) {
  if (from < 0 || to < 0) return;
  AsSelf([&](DetectThread*) { Remember(to, KeysOf(static_cast<uint64_t>(from))); });
}

void Connecting(int, const void* address, uint32_t bytes) {
  AsSelf([&](DetectThread* self) {
    Address given{};
    if (address == nullptr || bytes > sizeof given) return;
    __builtin_memcpy(&given, address, bytes);
    uint64_t name = NameOf(given, bytes);
    if (name != 0) ReleaseKey(self, Hashed(kConnection, name, 0));
  });
}

void Accepted(int listening) {
  AsSelf([&](DetectThread* self) {
    bool is_unix = false;
    uint64_t name = SocketName(SYS_getsockname, static_cast<uint64_t>(listening), &is_unix);
    if (name != 0) AcquireKey(self, Hashed(kConnection, name, 0));
  });
}

void Readable(int fd) {
  if (fd < 0) return;
  AsSelf([&](DetectThread* self) { AcquireKey(self, KeysOf(static_cast<uint64_t>(fd)).read); });
}

void StreamRead(int fd) {
  if (fd >= 0 && g_mode == Mode::Detect && IsChannel(static_cast<uint64_t>(fd))) Readable(fd);
}
void StreamWritten(int fd) {
  if (fd >= 0 && g_mode == Mode::Detect && IsChannel(static_cast<uint64_t>(fd))) WritingEnds(fd);
}

void FilesWatched(int fd) {
  if (fd < 0) return;
  __atomic_store_n(&g_files_watched, true, __ATOMIC_RELAXED);
  AsSelf([&](DetectThread*) { Remember(fd, {kChanges, kNoOrder}); });
}
void FilesChange() {
  if (!__atomic_load_n(&g_files_watched, __ATOMIC_RELAXED)) return;
  AsSelf([&](DetectThread* self) { ReleaseKey(self, kChanges); });
}

// All of them are one object: which signals each takes is not looked at.
void SignalDescriptor(int fd) {
  if (fd < 0) return;
  __atomic_store_n(&g_signal_descriptors, true, __ATOMIC_RELAXED);
  AsSelf([&](DetectThread*) { Remember(fd, {kSignalFiles, kSignalFiles}); });
}
void SignalDescriptorsReadable() {
  DetectThread* self = Self();
  if (self == nullptr || !__atomic_load_n(&g_signal_descriptors, __ATOMIC_RELAXED)) return;
  ReleaseKey(self, kSignalFiles);
  __heddle_segment = self->order.Segment();
}

void DescriptorReplaced(int fd, const void* pc) {
  if (fd < 0) return;
  AsSelf([&](DetectThread* self) {
    constexpr uint8_t kFlags = kAccessWrite | kAccessAtomic;
    CheckNumber(self, static_cast<uint64_t>(fd), kFlags, reinterpret_cast<uint64_t>(pc));
  });
}

void PollChanged(int epoll, int operation, int fd, uint64_t word) {
  AsSelf([&](DetectThread*) { Watched(epoll, operation, fd, word); });
}

void PollReported(int epoll, uint64_t word) {
  AsSelf([&](DetectThread* self) {
    auto learn = [](void* context, int fd) {
      AcquireKey(static_cast<DetectThread*>(context), KeysOf(static_cast<uint64_t>(fd)).read);
    };
    ForWatched(epoll, word, learn, self);
    if (AllAsOne(kNoOrder)) AcquireOne(self, kAll);
  });
}

void WritingEnds(int fd) {
  if (fd < 0) return;
  AsSelf([&](DetectThread* self) { ReleaseKey(self, KeysOf(static_cast<uint64_t>(fd)).write); });
}

}  // namespace heddle::rt::detect
