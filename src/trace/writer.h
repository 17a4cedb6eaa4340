// Writes trace files from events, for importers, filters and tests. (The runtime has its own writer, inside the
// target.)
//
// Each thread has one stream; its events are buffered as records, encoded and compressed when there are enough for a
// chunk. Memory: one buffer of at most kLiveBytes for each thread between its first and its ThreadEnd event.
//
// The file appears under its name when Finish succeeds. A full disk or any other refusal is an error from Add or
// Finish, and what was there before stays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/output_file.h"
#include "trace/encode.h"
#include "trace/source.h"

struct ZSTD_CCtx_s;

namespace heddle::trace {

struct WriterOptions {
  int level = 1;             // of zstd
  uint32_t chunk_slots = 0;  // records of this many 16-byte slots make a chunk; 0: as many as the format allows
};

class TraceWriter final : public EventSink {
 public:
  // `info` (which may grow until Finish) and `stacks` must outlive the writer.
  static Result<std::unique_ptr<TraceWriter>> Create(const std::string& path, const TraceInfo* info,
                                                     const StackTable* stacks, WriterOptions options = {});
  ~TraceWriter() override;

  // Events in the order of a reader. Refuses what the format cannot hold: addresses above 48 bits, sequence numbers
  // that do not grow, arguments that the kind does not have.
  Status Add(const Event& event) override;

  // Writes what is buffered, the description and the header. info.flags become the file's flags as they are.
  Status Finish() override;

 private:
  struct Lane {
    uint32_t thread = 0;
    std::vector<Slot> slots;
    std::unordered_map<uint32_t, uint32_t> nodes;  // StackTable's numbers to the stream's
    uint32_t stack = 0;                            // of the last Stack record, in StackTable's numbers
  };

  TraceWriter(std::unique_ptr<OutputFile> out, const TraceInfo* info, const StackTable* stacks, WriterOptions options);
  Status Check(const Event& event) const;
  Lane& LaneOf(uint32_t thread);
  Status Room(Lane& lane, uint32_t slots);
  Status ResetNodes(Lane& lane);
  Status PutStack(Lane& lane, uint32_t stack);
  Status PutFrames(Lane& lane, uint32_t stack);
  Status PutRecord(Lane& lane, const Event& event);
  Status FlushLane(Lane& lane);
  Status PutChunk(ChunkKind kind, const Lane* lane, uint32_t events, const uint8_t* plain, size_t plain_bytes);
  Status PutText();
  FileHeader Header() const;

  std::unique_ptr<OutputFile> out_;
  const TraceInfo* info_;
  const StackTable* stacks_;
  WriterOptions options_;
  std::vector<Lane> lanes_;
  std::vector<uint32_t> lane_of_low_;  // thread to lane + 1; thread numbers are dense, except in strange inputs
  std::unordered_map<uint32_t, uint32_t> lane_of_;
  uint64_t last_sequence_ = 0;
  std::unique_ptr<Encoder> encoder_;
  ZSTD_CCtx_s* zstd_;
  std::vector<uint8_t> payload_;
  std::vector<uint8_t> stored_;
};

}  // namespace heddle::trace
