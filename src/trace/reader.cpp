#include "trace/reader.h"

#include <cstring>

namespace heddle::trace {

void StreamCursor::ReportDamage() {
  bool damaged = live_ ? slot_at_ < slots_.size() : decoder_.damaged();
  if (open_ && damaged) file_->ReportDamage(stream_->chunks[next_chunk_ - 1]);
}

bool StreamCursor::OpenNextChunk() {
  ReportDamage();
  open_ = false;
  while (next_chunk_ < stream_->chunks.size()) {
    const ChunkRef& chunk = stream_->chunks[next_chunk_++];
    if (!file_->ReadPayload(chunk, &payload_)) continue;
    live_ = chunk.live;
    open_ = true;
    if (live_) {
      slots_.resize(payload_.size() / sizeof(Slot));
      std::memcpy(slots_.data(), payload_.data(), slots_.size() * sizeof(Slot));
      slot_at_ = 0;
      return true;
    }
    if (decoder_.Start(payload_.data(), payload_.size())) return true;
    ReportDamage();
    open_ = false;
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
      case Kind::Skip:  // a number that no operation has
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

// A stream's first event gives its place in the queue; its chunk is read again when it is that stream's turn, so that
// memory depends on the streams that overlap, not on all of them.
TraceReader::TraceReader(std::unique_ptr<TraceFile> file) : file_(std::move(file)), lanes_(file_->streams().size()) {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    // A stream that starts with plain accesses (its beginning was damaged) has the smallest place, 0.
    if (Open(i)) queue_.push({lanes_[i].ahead.sequence, i});
    lanes_[i].cursor.reset();
  }
}

bool TraceReader::Open(size_t lane) {
  lanes_[lane].cursor = std::make_unique<StreamCursor>(file_.get(), &file_->streams()[lane], &stacks_);
  return lanes_[lane].cursor->Next(&lanes_[lane].ahead);
}

bool TraceReader::NextLane() {
  while (!queue_.empty()) {
    current_ = queue_.top().index;
    queue_.pop();
    if (lanes_[current_].cursor != nullptr || Open(current_)) return true;
  }
  return false;
}

bool TraceReader::Next(Event* event) {
  if (current_ == SIZE_MAX && !NextLane()) return false;
  Lane& lane = lanes_[current_];
  *event = lane.ahead;
  if (!lane.cursor->Next(&lane.ahead)) {
    lane.cursor.reset();
    current_ = SIZE_MAX;
  } else if (lane.ahead.sequence != 0) {
    queue_.push({lane.ahead.sequence, current_});
    current_ = SIZE_MAX;
  }
  return true;
}

}  // namespace heddle::trace
