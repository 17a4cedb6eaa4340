#include "sched/demo_folder.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "sched/operation.h"
#include "wire/demo_format.h"

namespace heddle::sched {
namespace {

constexpr int kLevel = 9;
// A few damaged bytes must not ask for all memory: a demo unpacks to at most so much, or so many times its size.
constexpr uint64_t kMostUnpacked = uint64_t{64} << 20U;
constexpr uint64_t kMostTimes = 1024;

std::string Pack(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kLevel));
  return packed;
}

Result<std::string> Unpack(const std::string& path) {
  Result<std::string> packed = ReadFile(path);
  if (!packed) return packed.error();
  unsigned long long bytes = ZSTD_getFrameContentSize(packed->data(), packed->size());
  Error damaged = MakeError(ErrorCode::kBadInput, path + ": damaged");
  if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
      bytes > std::max<uint64_t>(kMostUnpacked, packed->size() * kMostTimes)) {
    return damaged;
  }
  std::string text(bytes, '\0');
  size_t got = ZSTD_decompress(text.data(), text.size(), packed->data(), packed->size());
  if (ZSTD_isError(got) != 0 || got != bytes) return damaged;
  return text;
}

Error NotCalls(const std::string& path) { return MakeError(ErrorCode::kBadInput, path + ": not a recording of calls"); }

// The entries of one recording that are signals, or the others.
std::string Choose(std::string_view calls, bool signals) {
  std::string chosen(calls.substr(0, sizeof(wire::DemoHeader)));
  size_t at = sizeof(wire::DemoHeader);
  wire::DemoHeader header{};
  std::memcpy(&header, calls.data(), sizeof header);
  size_t limit = std::min<uint64_t>(header.used, calls.size());
  while (at + sizeof(wire::DemoEntry) <= limit) {
    wire::DemoEntry entry{};
    std::memcpy(&entry, calls.data() + at, sizeof entry);
    uint64_t bytes = wire::DemoEntryBytes(entry.bytes);
    if (at + bytes > limit) break;
    if ((entry.call == wire::DemoCall::kSignal) == signals) chosen += calls.substr(at, bytes);
    at += bytes;
  }
  header.used = chosen.size();
  std::memcpy(chosen.data(), &header, sizeof header);
  return chosen;
}

Result<std::string> UnpackCalls(const std::string& path) {
  Result<std::string> calls = Unpack(path);
  if (!calls) return calls;
  bool good = calls->size() >= sizeof(wire::DemoHeader) &&
              std::memcmp(calls->data(), wire::kDemoMagic, sizeof wire::kDemoMagic) == 0;
  if (!good) return NotCalls(path);
  return calls;
}

}  // namespace

bool IsDemo(const std::string& folder) {
  std::error_code failure;
  return std::filesystem::exists(folder + "/META", failure) && std::filesystem::exists(folder + "/QUEUE", failure);
}

bool CutToRecording(DemoFolder& demo) {
  wire::DemoHeader header{};
  if (demo.calls.size() < sizeof header) return false;
  std::memcpy(&header, demo.calls.data(), sizeof header);
  if (header.lost != 0) demo.schedule.Cut(header.lost - 1);
  return header.lost != 0;
}

bool IsWhole(const Schedule& schedule) {
  return !schedule.runs.empty() && schedule.runs.back().operation == Code(trace::Kind::ProcessExit);
}

Status SaveDemo(const std::string& folder, const DemoFolder& demo) {
  Schedule header;
  header.header = demo.schedule.header;
  Status saved = WriteFileAtomic(folder + "/QUEUE", Pack(PrintSchedule(demo.schedule)));
  if (demo.calls.size() < sizeof(wire::DemoHeader)) return NotCalls(folder);
  if (saved) saved = WriteFileAtomic(folder + "/SYSCALL", Pack(Choose(demo.calls, false)));
  if (saved) saved = WriteFileAtomic(folder + "/SIGNAL", Pack(Choose(demo.calls, true)));
  if (saved) saved = WriteFileAtomic(folder + "/META", PrintSchedule(header));  // last: it makes the folder a demo
  return saved;
}

Result<DemoFolder> LoadDemo(const std::string& folder) {
  Result<std::string> text = Unpack(folder + "/QUEUE");
  if (!text) return text.error();
  Result<Schedule> schedule = ParseSchedule(folder + "/QUEUE", *text);
  if (!schedule) return schedule.error();
  Result<std::string> calls = UnpackCalls(folder + "/SYSCALL");
  if (!calls) return calls.error();
  Result<std::string> signals = UnpackCalls(folder + "/SIGNAL");
  if (!signals) return signals.error();
  // How entries of different kinds lie to each other does not matter.
  *calls += signals->substr(sizeof(wire::DemoHeader));
  wire::DemoHeader header{};
  std::memcpy(&header, calls->data(), sizeof header);
  header.used = calls->size();
  std::memcpy(calls->data(), &header, sizeof header);
  return DemoFolder{schedule.Take(), calls.Take()};
}

}  // namespace heddle::sched
