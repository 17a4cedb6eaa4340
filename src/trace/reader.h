// The events of a trace in one order, with bounded memory: one decoded chunk for each stream that is open.
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

namespace heddle::trace {

// Calls that led somewhere, shared as a tree: number 0 is "unknown or outermost".
class StackTable {
 public:
  struct Node {
    uint32_t parent;
    uint64_t call_pc;  // return address in the caller
  };
  StackTable() : nodes_{{0, 0}} {}
  uint32_t Add(uint32_t parent, uint64_t call_pc) {
    nodes_.push_back({parent, call_pc});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  // Innermost call first.
  std::vector<uint64_t> Pcs(uint32_t node) const;
  size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node> nodes_;
};

// Walks one stream; folds Frame, Stack and StackReset records into Event::stack.
class StreamCursor {
 public:
  StreamCursor(TraceFile* file, const Stream* stream, StackTable* stacks)
      : file_(file), stream_(stream), stacks_(stacks) {}
  bool Next(Event* event);

 private:
  bool NextRecord(Event* event);
  bool OpenNextChunk();
  uint32_t Global(uint64_t node) const { return node < nodes_.size() ? nodes_[node] : 0; }

  TraceFile* file_;
  const Stream* stream_;
  StackTable* stacks_;
  size_t next_chunk_ = 0;
  bool live_ = false;
  std::vector<uint8_t> payload_;
  Decoder decoder_;
  std::vector<Slot> slots_;
  size_t slot_at_ = 0;
  std::vector<uint32_t> nodes_ = {0};  // the stream's numbers to StackTable's
  uint32_t stack_ = 0;
  uint64_t last_sequence_ = 0;
};

class TraceReader {
 public:
  static Result<std::unique_ptr<TraceReader>> Open(const std::string& path);

  // False at the end.
  bool Next(Event* event);

  const TraceInfo& info() const { return file_->info(); }
  const TraceFile& file() const { return *file_; }
  const StackTable& stacks() const { return stacks_; }

 private:
  struct Open_ {
    uint64_t sequence;
    size_t index;
    bool operator>(const Open_& other) const {
      return sequence != other.sequence ? sequence > other.sequence : index > other.index;
    }
  };
  struct Lane {
    StreamCursor cursor;
    Event ahead;
  };

  explicit TraceReader(std::unique_ptr<TraceFile> file);

  std::unique_ptr<TraceFile> file_;
  StackTable stacks_;
  std::vector<Lane> lanes_;
  std::priority_queue<Open_, std::vector<Open_>, std::greater<>> queue_;
  size_t current_ = SIZE_MAX;  // the lane whose plain accesses are being handed out
};

}  // namespace heddle::trace
