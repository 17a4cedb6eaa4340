#include "trace/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "trace/decode.h"
#include "trace/file.h"

namespace heddle::trace {
namespace {

constexpr uint64_t kPage = 4096;

uint64_t Load(const uint64_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

bool ReadAll(int fd, uint64_t offset, void* out, size_t bytes) {
  return pread(fd, out, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

}  // namespace

Result<std::unique_ptr<LiveReader>> LiveReader::Open(const std::string& path, Idle idle) {
  int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  std::unique_ptr<LiveReader> reader(new LiveReader(fd, path, std::move(idle)));
  if (Status status = reader->Attach(); !status) return status.error();
  return reader;
}

Status LiveReader::Attach() {
  struct stat file{};
  if (fstat(fd_, &file) != 0) return ErrnoError(path_, errno);
  Error early = MakeError(ErrorCode::kNotFound, path_ + ": the program has not begun to record");
  if (static_cast<uint64_t>(file.st_size) < kHeaderBytes) return early;
  void* header = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (header == MAP_FAILED) return ErrnoError(path_, errno);
  header_ = static_cast<FileHeader*>(header);
  if (Load(&header_->magic) != kFileMagic) return early;
  if ((header_->flags & kFlagLive) == 0) return MakeError(ErrorCode::kBadInput, path_ + ": not a live trace");
  info_.start_realtime_ns = header_->start_realtime_ns;
  info_.pid = header_->pid;
  // The lock goes away with us, however we end, and the program sees that.
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (fcntl(fd_, F_OFD_SETLK, &lock) != 0) return ErrnoError(path_, errno);
  __atomic_store_n(&header_->reader, static_cast<uint32_t>(ReaderState::Attached), __ATOMIC_RELEASE);
  return {};
}

LiveReader::~LiveReader() {
  Detach();
  for (const Segment& segment : segments_) munmap(segment.base, segment.bytes);
  if (header_ != nullptr) munmap(header_, kPage);
  close(fd_);
}

void LiveReader::Detach() {
  if (header_ == nullptr) return;
  detached_ = true;
  __atomic_store_n(&header_->reader, static_cast<uint32_t>(ReaderState::Gone), __ATOMIC_RELEASE);
}

bool LiveReader::Next(Event* event) {
  while (!detached_) {
    if (TryNext(event)) return true;
    if (ended_ && waiting_.empty()) return false;
    if (ended_) {
      next_ = waiting_.begin()->first;  // a number that was taken and never published: its thread was killed
    } else if (!idle_()) {
      ended_ = true;
    }
  }
  return false;
}

bool LiveReader::TryNext(Event* event) {
  for (;;) {
    if (current_ != SIZE_MAX && Take(buffers_[current_], event)) return true;
    if (current_ == SIZE_MAX && !FindWork()) return false;
  }
}

// The buffer with the event that is due, else one with something new.
bool LiveReader::FindWork() {
  auto due = waiting_.find(next_);
  if (due != waiting_.end()) {
    current_ = due->second;
    buffers_[current_].waiting = false;
    waiting_.erase(due);
    return true;
  }
  Scan();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    turn_ = turn_ + 1 < buffers_.size() ? turn_ + 1 : 0;
    if (buffers_[turn_].waiting || !Refill(buffers_[turn_])) continue;
    current_ = turn_;
    return true;
  }
  return false;
}

bool LiveReader::Refill(Buffer& buffer) {
  LiveHeader* header = buffer.header;
  if (__atomic_load_n(&header->in_use, __ATOMIC_ACQUIRE) == 0) return false;
  uint64_t consumed = Load(&header->consumed);
  uint64_t used = Load(&header->used);
  if (used <= consumed || Load(&header->consumed) != consumed || used > kLiveBytes) return false;
  if (header->stream != buffer.stream) {
    buffer.stream = header->stream;
    buffer.thread = header->thread;
    buffer.nodes.assign(1, 0);
    buffer.stack = 0;
    Scan();  // the thread's description was written before its first event
  }
  buffer.at = consumed;
  buffer.limit = used;
  return true;
}

// Frames and stacks are folded into Event::stack, as StreamCursor does. True when the record was of that sort.
bool LiveReader::Fold(Buffer& buffer, const Event& event) {
  auto global = [&](uint64_t node) { return node < buffer.nodes.size() ? buffer.nodes[node] : 0; };
  switch (event.kind) {
    case Kind::Frame:
      buffer.nodes.push_back(stacks_.Add(global(event.address), event.pc));
      return true;
    case Kind::Stack:
      buffer.stack = global(event.address);
      return true;
    case Kind::StackReset:
      buffer.nodes.assign(1, 0);
      buffer.stack = 0;
      return true;
    default:
      return false;
  }
}

// The next event of the current buffer, if it is due. Else the buffer is left, and its writer may have it back.
bool LiveReader::Take(Buffer& buffer, Event* event) {
  const auto* base = reinterpret_cast<const uint8_t*>(buffer.header);
  const auto* end = reinterpret_cast<const Slot*>(base + buffer.limit);
  while (buffer.at < buffer.limit) {
    const auto* slot = reinterpret_cast<const Slot*>(base + buffer.at);
    uint32_t slots = DecodeSlots(slot, end, event);
    if (slots == 0) {
      if (info_.damage.empty()) info_.damage.emplace_back("a live buffer holds something that is no event");
      buffer.at = buffer.limit;
      break;
    }
    if (event->sequence > next_) {
      buffer.waiting = true;
      waiting_[event->sequence] = current_;
      break;
    }
    buffer.at += slots * sizeof(Slot);
    if (Fold(buffer, *event)) continue;
    if (event->sequence != 0) next_ = event->sequence + 1;
    if (event->kind == Kind::Skip) continue;
    if (event->kind == Kind::User && !info_.strings.contains(event->arg)) Scan();
    event->thread = buffer.thread;
    event->stack = buffer.stack;
    return true;
  }
  __atomic_store_n(&buffer.header->consumed, buffer.at, __ATOMIC_RELEASE);
  current_ = SIZE_MAX;
  return false;
}

// Chunks that were added since: buffers and text. A place that is taken but not yet written is zeros; there the scan
// stops until the next time.
void LiveReader::Scan() {
  for (;;) {
    ChunkHeader header;
    if (!ReadAll(fd_, scanned_, &header, sizeof header) || header.magic != kChunkMagic ||
        header.header_check != HeaderCheck(header)) {
      return;
    }
    uint64_t payload = scanned_ + sizeof header;
    if (header.kind == ChunkKind::Live && !MapBuffers(header, payload)) return;
    if (header.kind == ChunkKind::Text && !AddText(header, payload)) return;
    scanned_ = (payload + header.stored_bytes + 7) & ~uint64_t{7};
    // A program that makes threads without end writes a line for each: what was read is given back.
    uint64_t from = (released_ + kPage - 1) / kPage * kPage;
    if (header.kind == ChunkKind::Live) {
      released_ = scanned_;
    } else if (scanned_ - from >= 64 * kPage) {
      released_ = scanned_ / kPage * kPage;
      fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                static_cast<off_t>(released_ - from));
    }
  }
}

bool LiveReader::MapBuffers(const ChunkHeader& header, uint64_t payload) {
  uint64_t first = (payload + kPage - 1) / kPage * kPage;
  uint64_t count = (payload + header.stored_bytes - first) / kLiveBytes;
  void* base = mmap(nullptr, count * kLiveBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(first));
  if (base == MAP_FAILED) {
    status_ = ErrnoError(path_, errno);
    return false;
  }
  segments_.push_back({base, count * kLiveBytes});
  for (uint64_t i = 0; i < count; ++i) {
    Buffer buffer;
    buffer.header = reinterpret_cast<LiveHeader*>(static_cast<uint8_t*>(base) + i * kLiveBytes);
    buffers_.push_back(std::move(buffer));
  }
  return true;
}

// False when it is not there as a whole yet: the header may be seen before the text.
bool LiveReader::AddText(const ChunkHeader& header, uint64_t payload) {
  std::string text(std::min<uint64_t>(header.stored_bytes, kMaxTextBytes), '\0');
  bool good =
      ReadAll(fd_, payload, text.data(), text.size()) && XXH64(text.data(), text.size(), 0) == header.payload_check;
  if (good) ParseInfoText(text, &info_);
  return good || ended_;
}

}  // namespace heddle::trace
