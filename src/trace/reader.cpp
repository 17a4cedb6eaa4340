#include "trace/reader.h"

#include <cstring>

namespace heddle::trace {

std::vector<uint64_t> StackTable::Pcs(uint32_t node) const {
  std::vector<uint64_t> pcs;
  for (; node != 0 && node < nodes_.size(); node = nodes_[node].parent) pcs.push_back(nodes_[node].call_pc);
  return pcs;
}

bool StreamCursor::OpenNextChunk() {
  while (next_chunk_ < stream_->chunks.size()) {
    const ChunkRef& chunk = stream_->chunks[next_chunk_++];
    if (!file_->ReadPayload(chunk, &payload_)) continue;
    live_ = chunk.live;
    if (live_) {
      slots_.resize(payload_.size() / sizeof(Slot));
      std::memcpy(slots_.data(), payload_.data(), slots_.size() * sizeof(Slot));
      slot_at_ = 0;
      return true;
    }
    if (decoder_.Start(payload_.data(), payload_.size())) return true;
  }
  return false;
}

bool StreamCursor::NextRecord(Event* event) {
  for (;;) {
    if (live_) {
      uint32_t slots = DecodeSlots(slots_.data() + slot_at_, slots_.data() + slots_.size(), event);
      slot_at_ += slots;
      if (slots > 0) return true;
    } else if (decoder_.Next(event)) {
      return true;
    }
    if (!OpenNextChunk()) return false;
  }
}

bool StreamCursor::Next(Event* event) {
  while (NextRecord(event)) {
    switch (event->kind) {
      case Kind::Frame:
        nodes_.push_back(stacks_->Add(Global(event->address), event->pc));
        continue;
      case Kind::Stack:
        stack_ = Global(event->address);
        continue;
      case Kind::StackReset:
        nodes_.assign(1, 0);
        stack_ = 0;
        continue;
      default:
        break;
    }
    // A program killed between writing a chunk and emptying its buffer leaves the events twice.
    if (live_ && event->sequence != 0 && event->sequence <= last_sequence_) continue;
    if (event->sequence != 0) last_sequence_ = event->sequence;
    event->thread = stream_->thread;
    event->stack = stack_;
    return true;
  }
  return false;
}

Result<std::unique_ptr<TraceReader>> TraceReader::Open(const std::string& path) {
  auto file = TraceFile::Open(path);
  if (!file) return file.error();
  return std::unique_ptr<TraceReader>(new TraceReader(file.Take()));
}

TraceReader::TraceReader(std::unique_ptr<TraceFile> file) : file_(std::move(file)) {
  lanes_.reserve(file_->streams().size());
  for (const Stream& stream : file_->streams()) {
    lanes_.push_back({StreamCursor(file_.get(), &stream, &stacks_), {}});
    Lane& lane = lanes_.back();
    // A stream that starts with plain accesses (its beginning was damaged) has the smallest place, 0.
    if (lane.cursor.Next(&lane.ahead)) queue_.push({lane.ahead.sequence, lanes_.size() - 1});
  }
}

bool TraceReader::Next(Event* event) {
  if (current_ == SIZE_MAX) {
    if (queue_.empty()) return false;
    current_ = queue_.top().index;
    queue_.pop();
  }
  Lane& lane = lanes_[current_];
  *event = lane.ahead;
  if (!lane.cursor.Next(&lane.ahead)) {
    current_ = SIZE_MAX;
  } else if (lane.ahead.sequence != 0) {
    queue_.push({lane.ahead.sequence, current_});
    current_ = SIZE_MAX;
  }
  return true;
}

}  // namespace heddle::trace
