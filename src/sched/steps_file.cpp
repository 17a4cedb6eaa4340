#include "sched/steps_file.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace heddle::sched {
namespace {

template <typename T>
T ReadAt(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Appends the chunk at `offset`; 0 when it is damaged, else the offset behind it.
size_t ReadChunk(std::string_view bytes, size_t offset, std::vector<wire::Step>* steps) {
  if (bytes.size() - offset < sizeof(wire::StepsChunk)) return 0;
  auto chunk = ReadAt<wire::StepsChunk>(bytes, offset);
  offset += sizeof chunk;
  if (chunk.packed_bytes > bytes.size() - offset || chunk.steps > wire::kLiveSteps) return 0;
  const char* data = bytes.data() + offset;
  if (XXH64(data, chunk.packed_bytes, 0) != chunk.check) return 0;
  size_t before = steps->size();
  steps->resize(before + chunk.steps);
  size_t wanted = chunk.steps * sizeof(wire::Step);
  size_t got = ZSTD_decompress(steps->data() + before, wanted, data, chunk.packed_bytes);
  if (ZSTD_isError(got) != 0 || got != wanted) {
    steps->resize(before);
    return 0;
  }
  return offset + chunk.packed_bytes;
}

}  // namespace

Result<Steps> ParseSteps(const std::string& name, std::string_view bytes, uint64_t most) {
  if (bytes.size() < wire::kStepsHeaderBytes + wire::kLiveBytes)
    return MakeError(ErrorCode::kBadInput, name + ": cut off");
  auto header = ReadAt<wire::StepsHeader>(bytes, 0);
  if (!std::equal(std::begin(wire::kStepsMagic), std::end(wire::kStepsMagic), header.magic)) {
    return MakeError(ErrorCode::kBadInput, name + ": not a file of steps");
  }
  Steps result;
  uint64_t live = std::min<uint64_t>(header.live_steps, wire::kLiveSteps);
  result.count = header.packed_steps + live;
  if (result.count > most) {
    result.damage = "the run has " + std::to_string(result.count) + " steps, more than are read";
    return result;
  }
  size_t at = wire::kStepsHeaderBytes + wire::kLiveBytes;
  while (at != 0 && at < bytes.size() && result.steps.size() < header.packed_steps) {
    at = ReadChunk(bytes, at, &result.steps);
  }
  if (result.steps.size() < header.packed_steps) {
    result.damage = "the steps from " + std::to_string(result.steps.size() + 1) + " on are damaged";
    return result;
  }
  size_t before = result.steps.size();
  result.steps.resize(before + live);
  if (live > 0)
    std::memcpy(result.steps.data() + before, bytes.data() + wire::kStepsHeaderBytes, live * sizeof(wire::Step));
  if (header.lost != 0) result.damage = "the disk was full: later steps are missing";
  return result;
}

}  // namespace heddle::sched
