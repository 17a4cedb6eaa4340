#include "runtime/output/trace_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/memory/pages.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/raw_syscall.h"
#include "runtime/spin.h"

namespace heddle::rt {

constinit Output g_output;

namespace {

constexpr uint64_t kPage = 4096;
SpinLock g_live_lock;

constexpr uint64_t Align(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }

void* MapFile(int fd, uint64_t offset, uint64_t bytes) {
  long at = Sys(SYS_mmap, PageHint(bytes), bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  return at == -1 ? nullptr : reinterpret_cast<void*>(at);  // NOLINT: the kernel gives the address as a number
}

// Space on the disk, so that a later store into the mapping cannot fail.
int Reserve(int fd, uint64_t offset, uint64_t bytes) {
  if (Sys(SYS_fallocate, fd, 0, offset, bytes) == 0) return 0;
  return errno == EOPNOTSUPP ? (Sys(SYS_ftruncate, fd, offset + bytes) == 0 ? 0 : errno) : errno;
}

bool WriteAt(int fd, iovec* pieces, int count, uint64_t offset) {
  while (count > 0) {
    long n = Sys(SYS_pwritev, fd, pieces, count, offset, 0L);
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    offset += static_cast<uint64_t>(n);
    uint64_t left = static_cast<uint64_t>(n);
    while (count > 0 && left >= pieces->iov_len) {
      left -= pieces->iov_len;
      ++pieces;
      --count;
    }
    if (count > 0) {
      pieces->iov_base = static_cast<uint8_t*>(pieces->iov_base) + left;
      pieces->iov_len -= left;
    }
  }
  return true;
}

// The program may close every descriptor it finds (daemons do): a high number is out of the way of most.
int OpenHigh(const char* path) {
  long fd = Sys(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  long high = Sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  if (high < 0) return static_cast<int>(fd);
  Sys(SYS_close, fd);
  return static_cast<int>(high);
}

uint32_t HeaderCheck(const trace::ChunkHeader& header) {
  uint8_t bytes[36];
  memcpy(bytes, &header, 28);
  memcpy(bytes + 28, &header.payload_check, 8);
  return static_cast<uint32_t>(XXH64(bytes, sizeof bytes, 0));
}

}  // namespace

bool Output::Create(const char* path) {
  char name[4096];
  snprintf(name, sizeof name, "%s", path);
  for (int attempt = 0; (fd_ = OpenHigh(name)) < 0 && errno == EEXIST && attempt < 1000; ++attempt) {
    if (g_options.live) {  // a reader reads one file: children of the monitored process have none
      stopped_ = true;
      return false;
    }
    if (attempt == 0)
      snprintf(name, sizeof name, "%s.%d", path, static_cast<int>(getpid()));
    else
      snprintf(name, sizeof name, "%s.%d.%d", path, static_cast<int>(getpid()), attempt);
  }
  int error = fd_ < 0 ? errno : Reserve(fd_, 0, trace::kHeaderBytes);
  void* header = error == 0 ? MapFile(fd_, 0, kPage) : nullptr;
  if (header == nullptr) {
    stopped_ = true;
    Message("cannot write the trace, the program runs without it: ", name,
            error == ENOSPC ? ": the disk is full" : nullptr);
    return false;
  }
  header_ = static_cast<trace::FileHeader*>(header);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  header_->version = trace::kFileVersion;
  header_->header_bytes = trace::kHeaderBytes;
  header_->start_realtime_ns =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
  header_->pid = static_cast<uint32_t>(getpid());
  if (g_options.live) header_->flags = trace::kFlagLive;
  __atomic_store_n(&header_->magic, trace::kFileMagic, __ATOMIC_RELEASE);  // last: a reader may look at any moment
  end_ = trace::kHeaderBytes;
  return true;
}

void Output::SetFlag(uint64_t flag) {
  if (header_ != nullptr) __atomic_fetch_or(&header_->flags, flag, __ATOMIC_RELAXED);
}

void Output::Stop(int error) {
  if (stopped_.exchange(true)) return;
  if (error == ENOSPC || error == EDQUOT) {
    SetFlag(trace::kFlagNoSpace);
    Message("the disk is full: recording stopped, what was recorded is kept, the program runs on");
  } else {
    Message("writing the trace failed (", strerrorname_np(error), "): recording stopped, the program runs on");
  }
}

bool Output::Append(trace::ChunkKind kind, trace::Codec codec, uint32_t thread, uint32_t stream, uint32_t events,
                    uint32_t plain_bytes, const uint8_t* payload, uint32_t bytes) {
  if (stopped()) return false;
  KeepErrno keep;
  trace::ChunkHeader header{trace::kChunkMagic,      kind, codec, 0, thread, stream, events, plain_bytes, bytes, 0,
                            XXH64(payload, bytes, 0)};
  header.header_check = HeaderCheck(header);
  uint64_t total = Align(sizeof header + bytes, 8);
  uint64_t zero = 0;
  iovec pieces[3] = {
      {&header, sizeof header}, {const_cast<uint8_t*>(payload), bytes}, {&zero, total - sizeof header - bytes}};
  if (WriteAt(fd_, pieces, 3, end_.fetch_add(total))) return true;
  Stop(errno);
  return false;
}

bool Output::AppendText(const char* text, uint32_t bytes) {
  return Append(trace::ChunkKind::Text, trace::Codec::Raw, 0, 0, 0, bytes, reinterpret_cast<const uint8_t*>(text),
                bytes);
}

// A live chunk's buffers start at the first page boundary of its payload.
bool Output::AddSegment() {
  uint32_t index = segments_.load(std::memory_order_relaxed);
  if (index == kSegments) return false;
  KeepErrno keep;
  uint64_t bytes = kPage + uint64_t{kBuffers} * trace::kLiveBytes;
  uint64_t total = sizeof(trace::ChunkHeader) + bytes;
  uint64_t at = end_.fetch_add(total);
  uint64_t payload = at + sizeof(trace::ChunkHeader);
  uint64_t first = Align(payload, kPage);
  int error = Reserve(fd_, at, total);
  if (error != 0) {
    Stop(error);
    return false;
  }
  void* base = MapFile(fd_, first, uint64_t{kBuffers} * trace::kLiveBytes);
  if (base == nullptr) {
    Stop(errno);
    return false;
  }
  trace::ChunkHeader header{trace::kChunkMagic,
                            trace::ChunkKind::Live,
                            trace::Codec::Raw,
                            0,
                            0,
                            0,
                            0,
                            static_cast<uint32_t>(bytes),
                            static_cast<uint32_t>(bytes),
                            0,
                            0};
  header.header_check = HeaderCheck(header);
  iovec piece{&header, sizeof header};
  if (!WriteAt(fd_, &piece, 1, at)) {
    Stop(errno);
    return false;
  }
  segment_[index] = {static_cast<uint8_t*>(base), first, uint64_t{kBuffers} * trace::kLiveBytes};
  segments_.store(index + 1, std::memory_order_release);
  return true;
}

trace::LiveHeader* Output::TakeLive(uint32_t thread, uint32_t stream) {
  if (stopped()) return nullptr;
  SpinHolder hold(g_live_lock);
  for (uint32_t s = 0;; ++s) {
    if (s == segments_.load(std::memory_order_acquire) && !AddSegment()) return nullptr;
    for (uint32_t b = 0; b < kBuffers; ++b) {
      auto* live = reinterpret_cast<trace::LiveHeader*>(segment_[s].base + uint64_t{b} * trace::kLiveBytes);
      if (live->in_use != 0) continue;
      live->thread = thread;
      live->stream = stream;
      live->used = live->consumed = sizeof(trace::LiveHeader);
      __atomic_store_n(&live->in_use, 1, __ATOMIC_RELEASE);
      return live;
    }
  }
}

void Output::ReturnLive(trace::LiveHeader* live) {
  SpinHolder hold(g_live_lock);
  live->used = sizeof(trace::LiveHeader);
  __atomic_store_n(&live->in_use, 0, __ATOMIC_RELEASE);
}

// The reader holds a lock on the first byte of the file as long as it lives; before it has come, it is waited for.
bool Output::ReaderIsThere() const {
  auto state = static_cast<trace::ReaderState>(__atomic_load_n(&header_->reader, __ATOMIC_ACQUIRE));
  if (state == trace::ReaderState::Gone) return false;
  if (state == trace::ReaderState::None) return true;
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return Sys(SYS_fcntl, fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Output::HandOver(trace::LiveHeader* live) {
  constexpr uint32_t kSpins = 500;
  constexpr uint32_t kNapsForTheFirst = 200'000;  // 10 s for a reader to come
  for (uint32_t turn = 0; !stopped(); ++turn) {
    if (__atomic_load_n(&live->consumed, __ATOMIC_ACQUIRE) == live->used) break;
    if (turn < kSpins) {
      __builtin_ia32_pause();
      continue;
    }
    timespec nap{0, 50'000};
    Sys(SYS_nanosleep, &nap, nullptr);
    bool waited_enough = header_->reader == 0 && turn > kNapsForTheFirst;
    if (turn % 64 != 0 || (ReaderIsThere() && !waited_enough)) continue;
    if (!stopped_.exchange(true)) Message("nobody reads the events any more: recording stopped, the program runs on");
  }
  // In this order: a reader that sees `used` below `consumed` knows that the buffer is being emptied.
  __atomic_store_n(&live->used, sizeof(trace::LiveHeader), __ATOMIC_RELEASE);
  __atomic_store_n(&live->consumed, sizeof(trace::LiveHeader), __ATOMIC_RELEASE);
  return !stopped();
}

void Output::Finish() {
  if (header_ == nullptr) return;
  SpinHolder hold(g_live_lock);
  for (uint32_t s = 0; s < segments_.load(std::memory_order_acquire); ++s) {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      auto* live = reinterpret_cast<trace::LiveHeader*>(segment_[s].base + uint64_t{b} * trace::kLiveBytes);
      if (live->in_use != 0) continue;
      Sys(SYS_fallocate, fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
          segment_[s].file_offset + uint64_t{b} * trace::kLiveBytes, uint64_t{trace::kLiveBytes});
    }
  }
  header_->end_bytes = end_.load();
  SetFlag(trace::kFlagFinished);
}

void Output::Lock() { g_live_lock.Lock(); }
void Output::Unlock() { g_live_lock.Unlock(); }

void Output::Forget() {
  for (uint32_t s = 0; s < segments_.load(std::memory_order_acquire); ++s) {
    Sys(SYS_munmap, segment_[s].base, segment_[s].map_bytes);
  }
  if (header_ != nullptr) Sys(SYS_munmap, header_, kPage);
  if (fd_ >= 0) Sys(SYS_close, fd_);
  header_ = nullptr;
  fd_ = -1;
  segments_ = 0;
  end_ = 0;
  stopped_ = false;
}

}  // namespace heddle::rt
