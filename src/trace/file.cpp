#include "trace/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace heddle::trace {
namespace {

bool ReadAt(int fd, uint64_t offset, void* out, size_t bytes) {
  auto* at = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    ssize_t n = pread(fd, at, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

constexpr size_t kMaxDamage = 100;  // sentences

constexpr uint64_t Align8(uint64_t value) { return (value + 7) & ~uint64_t{7}; }

}  // namespace

uint32_t HeaderCheck(const ChunkHeader& header) {
  uint8_t bytes[36];
  std::memcpy(bytes, &header, 28);
  std::memcpy(bytes + 28, &header.payload_check, 8);
  return static_cast<uint32_t>(XXH64(bytes, sizeof bytes, 0));
}

TraceFile::~TraceFile() { close(fd_); }

Result<std::unique_ptr<TraceFile>> TraceFile::Open(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoError(path, errno);
  std::unique_ptr<TraceFile> file(new TraceFile(fd, path));
  Status status = file->ReadHeader();
  if (!status) return status.error();
  file->Scan();
  file->PlaceLive();
  return file;
}

bool TraceFile::LooksLikeTrace(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  uint64_t magic = 0;
  bool same = ReadAt(fd, 0, &magic, sizeof magic) && magic == kFileMagic;
  close(fd);
  return same;
}

Status TraceFile::ReadHeader() {
  struct stat status{};
  if (fstat(fd_, &status) != 0) return ErrnoError(path_, errno);
  if (!S_ISREG(status.st_mode)) return MakeError(ErrorCode::kBadInput, path_ + ": not a regular file");
  file_bytes_ = static_cast<uint64_t>(status.st_size);
  FileHeader header{};
  if (!ReadAt(fd_, 0, &header, sizeof header) || header.magic != kFileMagic) {
    return MakeError(ErrorCode::kBadInput, path_ + ": not a heddle trace (it does not start with HEDLTRC1)");
  }
  if (header.version != kFileVersion) {
    return MakeError(ErrorCode::kBadInput, fmt::format("{}: trace format version {}, but this heddle reads version {}",
                                                       path_, header.version, kFileVersion));
  }
  if (header.header_bytes < sizeof header || header.header_bytes > (1U << 20U)) {
    return MakeError(ErrorCode::kBadInput, path_ + ": the file header is damaged");
  }
  info_.flags = header.flags;
  info_.start_realtime_ns = header.start_realtime_ns;
  info_.pid = header.pid;
  end_bytes_ = header.end_bytes;
  return {};
}

bool TraceFile::ReadChunkHeader(uint64_t offset, ChunkHeader* header) const {
  return offset + sizeof *header <= file_bytes_ && ReadAt(fd_, offset, header, sizeof *header) &&
         header->magic == kChunkMagic && header->header_check == HeaderCheck(*header);
}

void TraceFile::Scan() {
  uint64_t at = kHeaderBytes;
  if (end_bytes_ > file_bytes_) AddDamage(fmt::format("the last {} bytes are missing", end_bytes_ - file_bytes_));
  while (at + sizeof(ChunkHeader) <= file_bytes_) {
    ChunkHeader header;
    if (!ReadChunkHeader(at, &header)) {
      uint64_t next = NextChunk(at);
      if (next == file_bytes_) break;
      AddDamage(fmt::format("{} bytes at offset {} are damaged", next - at, at));
      at = next;
      continue;
    }
    uint64_t payload = at + sizeof header;
    if (payload + header.stored_bytes > file_bytes_) {
      AddDamage(fmt::format("the chunk at offset {} is cut off", at));
      return;
    }
    AddChunk(header, payload);
    at = Align8(payload + header.stored_bytes);
  }
  CheckEnd(at);
}

// What follows the last whole chunk: nothing, or the zeros of a place that a killed program had taken and not written.
void TraceFile::CheckEnd(uint64_t at) {
  std::vector<uint8_t> block(65536);
  for (uint64_t from = at; from < file_bytes_; from += block.size()) {
    size_t bytes = static_cast<size_t>(std::min<uint64_t>(block.size(), file_bytes_ - from));
    bool zero = ReadAt(fd_, from, block.data(), bytes) &&
                std::all_of(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(bytes),
                            [](uint8_t byte) { return byte == 0; });
    if (zero && end_bytes_ == 0) continue;
    AddDamage(fmt::format("{} bytes at offset {} are damaged", file_bytes_ - at, at));
    return;
  }
}

// A stream's first chunk is read twice, its damage is told once.
void TraceFile::AddDamage(std::string what) {
  if (info_.damage.size() > kMaxDamage) return;
  if (info_.damage.size() == kMaxDamage) what = "there is more damage";
  if (std::find(info_.damage.begin(), info_.damage.end(), what) == info_.damage.end()) {
    info_.damage.push_back(std::move(what));
  }
}

void TraceFile::ReportDamage(const ChunkRef& chunk) {
  AddDamage(chunk.live ? fmt::format("the live buffer at offset {} is damaged", chunk.offset - sizeof(LiveHeader))
                       : fmt::format("the chunk of {} events at offset {} is damaged", chunk.events,
                                     chunk.offset - sizeof(ChunkHeader)));
}

// The offset of the first whole chunk header after `offset`, or the file's end.
uint64_t TraceFile::NextChunk(uint64_t offset) const {
  std::vector<uint8_t> block(65536);
  for (uint64_t at = Align8(offset + 1); at < file_bytes_;) {
    size_t bytes = static_cast<size_t>(std::min<uint64_t>(block.size(), file_bytes_ - at));
    if (!ReadAt(fd_, at, block.data(), bytes)) break;
    for (size_t i = 0; i + 4 <= bytes; i += 8) {
      uint32_t magic = 0;
      std::memcpy(&magic, &block[i], sizeof magic);
      ChunkHeader header;
      if (magic == kChunkMagic && ReadChunkHeader(at + i, &header)) return at + i;
    }
    at += bytes & ~size_t{7};
    if (bytes < 8) break;
  }
  return file_bytes_;
}

Stream& TraceFile::StreamOf(uint32_t thread, uint32_t stream) {
  auto [found, added] = stream_index_.try_emplace(stream, streams_.size());
  if (added) streams_.push_back(Stream{thread, stream, {}});
  return streams_[found->second];
}

void TraceFile::AddChunk(const ChunkHeader& header, uint64_t payload) {
  switch (header.kind) {
    case ChunkKind::Live:
      return AddLive(header, payload);
    case ChunkKind::Text:
      return AddText(header, payload);
    case ChunkKind::Events:
      break;
    default:
      return;  // a kind of a later version
  }
  if (header.plain_bytes > kMaxPlainBytes) {
    AddDamage(fmt::format("the chunk at offset {} is too large", payload - sizeof header));
    return;
  }
  StreamOf(header.thread, header.stream)
      .chunks.push_back(
          {payload, header.events, header.plain_bytes, header.stored_bytes, header.codec, false, header.payload_check});
}

// Live buffers come after all chunks of their stream, wherever their segment stands in the file: they wait for
// PlaceLive.
void TraceFile::AddLive(const ChunkHeader& header, uint64_t payload) {
  uint64_t first = (payload + kHeaderBytes - 1) / kHeaderBytes * kHeaderBytes;  // buffers start on a page
  for (uint64_t at = first; at + kLiveBytes <= payload + header.stored_bytes; at += kLiveBytes) {
    LiveHeader live;
    if (!ReadAt(fd_, at, &live, sizeof live) || live.in_use == 0) continue;
    uint64_t used = std::min<uint64_t>(live.used, kLiveBytes);
    if (used <= sizeof live) continue;
    ChunkRef chunk;
    chunk.offset = at + sizeof live;
    chunk.plain_bytes = chunk.stored_bytes = static_cast<uint32_t>(used - sizeof live) & ~15U;
    chunk.live = true;
    live_.push_back({{live.thread, live.stream, {}}, chunk});
  }
}

void TraceFile::PlaceLive() {
  for (const auto& [stream, chunk] : live_) StreamOf(stream.thread, stream.stream).chunks.push_back(chunk);
  live_.clear();
}

void TraceFile::AddText(const ChunkHeader& header, uint64_t payload) {
  if (header.stored_bytes > kMaxTextBytes) {
    AddDamage(fmt::format("the description at offset {} is too large", payload - sizeof header));
    return;
  }
  std::string text(header.stored_bytes, '\0');
  if (!ReadAt(fd_, payload, text.data(), text.size()) || XXH64(text.data(), text.size(), 0) != header.payload_check) {
    AddDamage(fmt::format("the description at offset {} is damaged", payload - sizeof header));
    return;
  }
  ParseInfoText(text, &info_);
}

bool TraceFile::ReadPayload(const ChunkRef& chunk, std::vector<uint8_t>* out) {
  stored_.resize(chunk.stored_bytes);
  out->resize(chunk.plain_bytes);
  bool good = ReadAt(fd_, chunk.offset, stored_.data(), stored_.size());
  if (good && !chunk.live) good = XXH64(stored_.data(), stored_.size(), 0) == chunk.payload_check;
  if (good && chunk.codec == Codec::Zstd) {
    good = ZSTD_decompress(out->data(), out->size(), stored_.data(), stored_.size()) == out->size();
  } else if (good) {
    good = stored_.size() == out->size();
    if (good) out->swap(stored_);
  }
  if (!good) ReportDamage(chunk);
  return good;
}

}  // namespace heddle::trace
