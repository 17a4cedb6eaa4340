#include "sched/checkpoints.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "wire/demo_format.h"

namespace heddle::sched {
namespace {

constexpr const char* kKey = "checkpoint";
constexpr const char* kFirst = "first";
constexpr int kCheckpointLevel = 3;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File Open(const std::string& path, const char* mode) { return {std::fopen(path.c_str(), mode), std::fclose}; }

std::string PathOf(const std::string& folder, uint64_t number) {
  return fmt::format("{}/CHECKPOINT.{}", folder, number);
}

// Numbers with spaces between them, all of `count`.
bool ReadNumbers(std::string_view text, uint64_t* to, size_t count) {
  const char* at = text.data();
  const char* end = at + text.size();
  for (size_t i = 0; i < count; ++i) {
    while (at != end && *at == ' ') ++at;
    auto [rest, error] = std::from_chars(at, end, to[i]);
    if (error != std::errc()) return false;
    at = rest;
  }
  return at == end;
}

// Reads `in` through `step`, which takes input and writes to `out`; false when it says that the input is bad.
template <typename Step>
Status Pump(const std::string& from, const std::string& to, Step step) {
  File in = Open(from, "rb");
  if (!in) return ErrnoError(from, errno);
  File out = Open(to, "wb");
  if (!out) return ErrnoError(to, errno);
  std::string input(size_t{1} << 20U, '\0');
  std::string output(size_t{1} << 20U, '\0');
  for (bool ended = false; !ended;) {
    size_t got = std::fread(input.data(), 1, input.size(), in.get());
    ended = got < input.size();
    ZSTD_inBuffer given{input.data(), got, 0};
    for (bool more = true; more;) {
      ZSTD_outBuffer made{output.data(), output.size(), 0};
      size_t left = step(&made, &given, ended);
      if (ZSTD_isError(left) != 0) return MakeError(ErrorCode::kBadInput, from + ": damaged");
      if (std::fwrite(output.data(), 1, made.pos, out.get()) != made.pos) return ErrnoError(to, errno);
      more = given.pos < given.size || made.pos == made.size;
    }
  }
  if (std::fflush(out.get()) != 0) return ErrnoError(to, errno);
  return {};
}

}  // namespace

std::vector<Checkpoint> CheckpointsOf(const Schedule& schedule) {
  std::vector<Checkpoint> found;
  for (const auto& [key, value] : schedule.header) {
    uint64_t numbers[4];
    if (key != kKey || !ReadNumbers(value, numbers, 4)) continue;
    found.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return found;
}

void AddCheckpoint(Schedule& schedule, const Checkpoint& checkpoint) {
  schedule.header.emplace_back(
      kKey, fmt::format("{} {} {} {}", checkpoint.number, checkpoint.step, checkpoint.calls, checkpoint.signals));
}

uint64_t FirstStep(const Schedule& schedule) {
  uint64_t first = 0;
  return ReadNumbers(schedule.Value(kFirst), &first, 1) ? first : 0;
}

void SetFirstStep(Schedule& schedule, uint64_t first) {
  std::erase_if(schedule.header, [](const auto& line) { return line.first == kFirst; });
  if (first != 0) schedule.header.emplace_back(kFirst, std::to_string(first));
}

bool StartAt(DemoFolder& demo, const Checkpoint& checkpoint) {
  uint64_t first = FirstStep(demo.schedule);
  if (checkpoint.step < first || checkpoint.step - first > demo.schedule.Steps()) return false;
  demo.schedule.Drop(checkpoint.step - first);
  SetFirstStep(demo.schedule, checkpoint.step);
  std::string left = demo.calls.substr(0, sizeof(wire::DemoHeader));
  uint64_t calls = 0;
  uint64_t signals = 0;
  for (size_t at = sizeof(wire::DemoHeader); at + sizeof(wire::DemoEntry) <= demo.calls.size();) {
    wire::DemoEntry entry{};
    std::memcpy(&entry, demo.calls.data() + at, sizeof entry);
    uint64_t bytes = wire::DemoEntryBytes(entry.bytes);
    bool before = entry.call == wire::DemoCall::kSignal ? signals++ < checkpoint.signals : calls++ < checkpoint.calls;
    if (!before) left.append(demo.calls, at, bytes);
    at += bytes;
  }
  wire::DemoHeader header{};
  std::memcpy(&header, left.data(), sizeof header);
  header.used = left.size();
  std::memcpy(left.data(), &header, sizeof header);
  demo.calls = std::move(left);
  return calls >= checkpoint.calls && signals >= checkpoint.signals;
}

Status PackImage(const std::string& image, const std::string& folder, uint64_t number) {
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kCheckpointLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  return Pump(image, PathOf(folder, number), [&](ZSTD_outBuffer* out, ZSTD_inBuffer* in, bool ended) {
    return ZSTD_compressStream2(context.get(), out, in, ended ? ZSTD_e_end : ZSTD_e_continue);
  });
}

Status UnpackImage(const std::string& folder, uint64_t number, const std::string& image) {
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  size_t left = 1;
  Status pumped = Pump(PathOf(folder, number), image, [&](ZSTD_outBuffer* out, ZSTD_inBuffer* in, bool) {
    left = ZSTD_decompressStream(context.get(), out, in);
    return left;
  });
  if (pumped && left != 0) return MakeError(ErrorCode::kBadInput, PathOf(folder, number) + ": damaged");
  return pumped;
}

}  // namespace heddle::sched
