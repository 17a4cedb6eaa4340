// The events of a trace in one order, with bounded memory: one chunk for each stream between its first and last event.
//
// Ordered events come by their sequence numbers. The plain accesses of a thread come right after the ordered event
// before them, so a thread's segment stays together; where the run was serialised that is the real order.
#pragma once

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/decode.h"
#include "trace/file.h"
#include "trace/source.h"

namespace heddle::trace {

// Walks one stream; folds Frame, Stack and StackReset records into Event::stack.
class StreamCursor {
 public:
  StreamCursor(TraceFile* file, const Stream* stream, StackTable* stacks)
      : file_(file), stream_(stream), stacks_(stacks) {}
  bool Next(Event* event);

 private:
  bool NextRecord(Event* event);
  bool OpenNextChunk();
  void ReportDamage();
  uint32_t Global(uint64_t node) const { return node < nodes_.size() ? nodes_[node] : 0; }

  TraceFile* file_;
  const Stream* stream_;
  StackTable* stacks_;
  size_t next_chunk_ = 0;
  bool live_ = false;
  bool open_ = false;  // a chunk is being read
  std::vector<uint8_t> payload_;
  Decoder decoder_;
  std::vector<Slot> slots_;
  size_t slot_at_ = 0;
  std::vector<uint32_t> nodes_ = {0};  // the stream's numbers to StackTable's
  uint32_t stack_ = 0;
  uint64_t last_sequence_ = 0;
};

class TraceReader final : public EventSource {
 public:
  static Result<std::unique_ptr<TraceReader>> Open(const std::string& path);

  // False at the end. Damage is not an error: it is passed over, and info().damage tells of it.
  bool Next(Event* event) override;

  const TraceInfo& info() const override { return file_->info(); }
  const StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }
  const TraceFile& file() const { return *file_; }

 private:
  struct Open_ {
    uint64_t sequence;
    size_t index;
    bool operator>(const Open_& other) const {
      return sequence != other.sequence ? sequence > other.sequence : index > other.index;
    }
  };
  struct Lane {
    std::unique_ptr<StreamCursor> cursor;  // null before its stream's first event is due and after its last
    Event ahead;
  };

  explicit TraceReader(std::unique_ptr<TraceFile> file);
  bool Open(size_t lane);
  bool NextLane();

  std::unique_ptr<TraceFile> file_;
  StackTable stacks_;
  Status status_;
  std::vector<Lane> lanes_;
  std::priority_queue<Open_, std::vector<Open_>, std::greater<>> queue_;
  size_t current_ = SIZE_MAX;  // the lane whose plain accesses are being handed out
};

}  // namespace heddle::trace
