// A trace file opened for reading: its chunks, found by their headers alone, and what it says about the run.
//
// Damage is never fatal once the file header is right: a chunk whose header or payload check fails is passed over and
// described in info().damage, and the scan goes on at the next chunk that is whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/format.h"
#include "trace/info.h"

namespace heddle::trace {

// Where the events of a chunk are; a live buffer is a chunk too.
struct ChunkRef {
  uint64_t offset = 0;  // of the payload
  uint32_t events = 0;  // 0 for live buffers, whose records are counted when they are read
  uint32_t plain_bytes = 0;
  uint32_t stored_bytes = 0;
  Codec codec = Codec::Raw;
  bool live = false;
  uint64_t payload_check = 0;
};

struct Stream {
  uint32_t thread = 0;
  uint32_t stream = 0;
  std::vector<ChunkRef> chunks;
};

class TraceFile {
 public:
  static Result<std::unique_ptr<TraceFile>> Open(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const TraceInfo& info() const { return info_; }
  const std::vector<Stream>& streams() const { return streams_; }
  uint64_t file_bytes() const { return file_bytes_; }

  // Whether `path` starts like a trace, for commands that take several formats.
  static bool LooksLikeTrace(const std::string& path);

  // The decompressed payload of a chunk into `out`. False when it is damaged, which is then also in info().damage.
  bool ReadPayload(const ChunkRef& chunk, std::vector<uint8_t>* out);

  // A chunk turned out to hold no valid records from some point on.
  void ReportDamage(const ChunkRef& chunk);

 private:
  TraceFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Status ReadHeader();
  void Scan();
  bool ReadChunkHeader(uint64_t offset, ChunkHeader* header) const;
  void AddChunk(const ChunkHeader& header, uint64_t payload);
  void AddLive(const ChunkHeader& header, uint64_t payload);
  void PlaceLive();
  void AddText(const ChunkHeader& header, uint64_t payload);
  Stream& StreamOf(uint32_t thread, uint32_t stream);
  uint64_t NextChunk(uint64_t offset) const;
  void CheckEnd(uint64_t at);
  void AddDamage(std::string what);

  int fd_;
  std::string path_;
  uint64_t file_bytes_ = 0;
  uint64_t end_bytes_ = 0;
  TraceInfo info_;
  std::vector<Stream> streams_;
  std::map<uint32_t, size_t> stream_index_;
  std::vector<std::pair<Stream, ChunkRef>> live_;  // until the scan is over
  std::vector<uint8_t> stored_;
};

// The check value in a chunk header.
uint32_t HeaderCheck(const ChunkHeader& header);

}  // namespace heddle::trace
