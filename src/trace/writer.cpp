#include "trace/writer.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <string_view>

#include "trace/file.h"

namespace heddle::trace {
namespace {

constexpr uint32_t kMaxNodes = 6144;  // calls that a stream numbers before it starts over
constexpr uint32_t kLowThreads = 1U << 20U;
constexpr size_t kTextBytes = 1U << 16U;

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Error Refuse(const Event& event, const std::string& why) {
  return MakeError(ErrorCode::kBadInput, fmt::format("a trace cannot hold this `{}` event (sequence {}, thread {}): {}",
                                                     KindName(event.kind), event.sequence, event.thread, why));
}

}  // namespace

TraceWriter::TraceWriter(std::unique_ptr<OutputFile> out, const TraceInfo* info, const StackTable* stacks,
                         WriterOptions options)
    : out_(std::move(out)),
      info_(info),
      stacks_(stacks),
      options_(options),
      encoder_(std::make_unique<Encoder>()),
      zstd_(ZSTD_createCCtx()),
      payload_(MaxPayloadBytes(kLiveSlots)),
      stored_(ZSTD_compressBound(payload_.size())) {
  if (options_.chunk_slots == 0 || options_.chunk_slots > kLiveSlots) options_.chunk_slots = kLiveSlots;
  options_.chunk_slots = std::max(options_.chunk_slots, 3U);  // the longest record
  ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, options_.level);
}

TraceWriter::~TraceWriter() { ZSTD_freeCCtx(zstd_); }

Result<std::unique_ptr<TraceWriter>> TraceWriter::Create(const std::string& path, const TraceInfo* info,
                                                         const StackTable* stacks, WriterOptions options) {
  auto out = OutputFile::Create(path);
  if (!out) return out.error();
  std::unique_ptr<TraceWriter> writer(new TraceWriter(out.Take(), info, stacks, options));
  Status status = writer->out_->Append(std::string(kHeaderBytes, '\0'));
  if (!status) return status.error();
  return writer;
}

Status TraceWriter::Check(const Event& event) const {
  auto kind = static_cast<uint8_t>(event.kind);
  if (!IsKind(kind) || (kind >= static_cast<uint8_t>(Kind::Frame) && kind <= static_cast<uint8_t>(Kind::StackReset))) {
    return Refuse(event, "it is not a kind of event");
  }
  if (event.address > kAddressMask) return Refuse(event, fmt::format("address {:#x} is too large", event.address));
  if (event.pc > kAddressMask) return Refuse(event, fmt::format("code address {:#x} is too large", event.pc));
  if (IsOrdered(event.kind) && event.sequence <= last_sequence_) {
    return Refuse(event, fmt::format("its sequence number comes after {}", last_sequence_));
  }
  if (!IsOrdered(event.kind) && event.sequence != 0) return Refuse(event, "its kind has no sequence number");
  bool has_arg = IsOrdered(event.kind) || IsRange(event.kind);
  bool has_more = kKindWords[kind] == 4;
  if ((!has_arg && event.arg != 0) || (!has_more && (event.arg2 != 0 || event.arg3 != 0))) {
    return Refuse(event, "it has more arguments than its kind");
  }
  return {};
}

TraceWriter::Lane& TraceWriter::LaneOf(uint32_t thread) {
  if (thread < kLowThreads && thread >= lane_of_low_.size()) lane_of_low_.resize(thread + 1);
  uint32_t& lane = thread < kLowThreads ? lane_of_low_[thread] : lane_of_[thread];
  if (lane == 0) {
    lanes_.emplace_back();
    lanes_.back().thread = thread;
    lane = static_cast<uint32_t>(lanes_.size());
  }
  return lanes_[lane - 1];
}

Status TraceWriter::Room(Lane& lane, uint32_t slots) {
  return lane.slots.size() + slots > options_.chunk_slots ? FlushLane(lane) : Status();
}

Status TraceWriter::Add(const Event& event) {
  if (Status checked = Check(event); !checked) return checked;
  if (event.sequence != 0) last_sequence_ = event.sequence;
  Lane& lane = LaneOf(event.thread);
  if (event.stack != lane.stack) {
    if (Status put = PutStack(lane, event.stack); !put) return put;
  }
  return PutRecord(lane, event);
}

Status TraceWriter::PutRecord(Lane& lane, const Event& event) {
  uint32_t slots = SlotsOf(event.kind);
  if (Status room = Room(lane, slots); !room) return room;
  lane.slots.push_back(
      {PackHead(event.kind, event.detail, event.address), PackTail(event.pc, event.result, event.order)});
  if (IsRange(event.kind)) lane.slots.push_back({event.arg, 0});
  if (IsOrdered(event.kind)) lane.slots.push_back({event.sequence, event.arg});
  if (slots > 2) lane.slots.push_back({event.arg2, event.arg3});
  if (event.kind != Kind::ThreadEnd) return {};
  // Programs with very many threads have few at a time: nothing is kept for one that has ended.
  if (!lane.nodes.empty()) {
    if (Status reset = ResetNodes(lane); !reset) return reset;
  }
  Status flushed = FlushLane(lane);
  std::vector<Slot>().swap(lane.slots);
  return flushed;
}

Status TraceWriter::ResetNodes(Lane& lane) {
  if (Status room = Room(lane, 1); !room) return room;
  lane.slots.push_back({PackHead(Kind::StackReset, 0, 0), 0});
  lane.nodes = {};
  lane.stack = 0;
  return {};
}

// Frame records for the calls of `stack` that the stream has not numbered yet, outermost first.
Status TraceWriter::PutFrames(Lane& lane, uint32_t stack) {
  std::vector<uint32_t> unknown;
  for (uint32_t node = stack; node != 0 && lane.nodes.count(node) == 0; node = stacks_->Parent(node)) {
    unknown.push_back(node);
  }
  for (auto node = unknown.rbegin(); node != unknown.rend(); ++node) {
    uint32_t parent = stacks_->Parent(*node);
    if (Status room = Room(lane, 1); !room) return room;
    lane.slots.push_back(
        {PackHead(Kind::Frame, 0, parent == 0 ? 0 : lane.nodes[parent]), PackTail(stacks_->CallPc(*node), 0, 0)});
    auto number = static_cast<uint32_t>(lane.nodes.size() + 1);
    lane.nodes[*node] = number;
  }
  return {};
}

Status TraceWriter::PutStack(Lane& lane, uint32_t stack) {
  if (lane.nodes.size() > kMaxNodes) {
    if (Status reset = ResetNodes(lane); !reset) return reset;
  }
  if (Status frames = PutFrames(lane, stack); !frames) return frames;
  if (Status room = Room(lane, 1); !room) return room;
  lane.slots.push_back({PackHead(Kind::Stack, 0, stack == 0 ? 0 : lane.nodes[stack]), 0});
  lane.stack = stack;
  return {};
}

Status TraceWriter::FlushLane(Lane& lane) {
  if (lane.slots.empty()) return {};
  uint32_t events = 0;
  size_t bytes = encoder_->Encode(lane.slots.data(), lane.slots.data() + lane.slots.size(), payload_.data(), &events);
  lane.slots.clear();
  return PutChunk(ChunkKind::Events, &lane, events, payload_.data(), bytes);
}

Status TraceWriter::PutChunk(ChunkKind kind, const Lane* lane, uint32_t events, const uint8_t* plain,
                             size_t plain_bytes) {
  size_t stored = plain_bytes;
  const uint8_t* payload = plain;
  if (kind == ChunkKind::Events) {
    size_t compressed = ZSTD_compress2(zstd_, stored_.data(), stored_.size(), plain, plain_bytes);
    if (ZSTD_isError(compressed) == 0 && compressed < plain_bytes) {
      stored = compressed;
      payload = stored_.data();
    }
  }
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.kind = kind;
  header.codec = payload == plain ? Codec::Raw : Codec::Zstd;
  header.thread = lane == nullptr ? 0 : lane->thread;
  header.stream = lane == nullptr ? 0 : static_cast<uint32_t>(lane - lanes_.data());
  header.events = events;
  header.plain_bytes = static_cast<uint32_t>(plain_bytes);
  header.stored_bytes = static_cast<uint32_t>(stored);
  header.payload_check = XXH64(payload, stored, 0);
  header.header_check = HeaderCheck(header);
  static constexpr char kZeros[8] = {};
  (void)out_->Append(BytesOf(header));
  (void)out_->Append({reinterpret_cast<const char*>(payload), stored});
  return out_->Append({kZeros, (8 - stored % 8) % 8});
}

Status TraceWriter::PutText() {
  std::string text;
  Status status;
  auto flush = [&] {
    if (status && !text.empty()) {
      status = PutChunk(ChunkKind::Text, nullptr, 0, reinterpret_cast<const uint8_t*>(text.data()), text.size());
    }
    text.clear();
  };
  WriteInfoText(*info_, [&](std::string_view line) {
    if (line.size() >= kMaxTextBytes && status) {
      status = MakeError(ErrorCode::kLimit, fmt::format("a name of {} bytes is too long for a trace", line.size()));
    }
    if (text.size() + line.size() >= kTextBytes) flush();
    text += line;
    std::replace(text.end() - static_cast<std::ptrdiff_t>(line.size()), text.end(), '\n', ' ');
    text += '\n';
  });
  flush();
  return status;
}

FileHeader TraceWriter::Header() const {
  FileHeader header{};
  header.magic = kFileMagic;
  header.version = kFileVersion;
  header.header_bytes = kHeaderBytes;
  header.flags = info_->flags;
  header.start_realtime_ns = info_->start_realtime_ns;
  header.pid = info_->pid;
  header.end_bytes = out_->bytes();
  return header;
}

Status TraceWriter::Finish() {
  for (Lane& lane : lanes_) {
    if (Status flushed = FlushLane(lane); !flushed) return flushed;
  }
  if (Status text = PutText(); !text) return text;
  FileHeader header = Header();
  if (Status wrote = out_->WriteAt(0, BytesOf(header)); !wrote) return wrote;
  return out_->Commit();
}

}  // namespace heddle::trace
