#include "sched/demo_folder.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "sched/operation.h"
#include "wire/demo_format.h"

namespace heddle::sched {
namespace {

constexpr int kDemoLevel = 9;
// A few damaged bytes must not ask for all memory: a demo unpacks to at most so much, or so many times its size.
constexpr uint64_t kMostUnpacked = uint64_t{64} << 20U;
constexpr uint64_t kMostTimes = 1024;

// Blocks that can be unpacked when the file ends behind them.
constexpr size_t kBlock = size_t{32} << 10U;

std::string Pack(std::string_view text) {
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kDemoLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), text.size());
  size_t blocks = text.size() / kBlock + 1;
  std::string packed(ZSTD_compressBound(text.size()) + blocks * 64, '\0');
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  for (size_t i = 0; i < blocks; ++i) {
    std::string_view part = text.substr(i * kBlock, kBlock);
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    ZSTD_compressStream2(context.get(), &out, &in, i + 1 == blocks ? ZSTD_e_end : ZSTD_e_flush);
  }
  packed.resize(out.pos);
  return packed;
}

struct Unpacked {
  std::string text;
  bool whole = true;
};

// As much as can be unpacked from the beginning.
Result<Unpacked> Unpack(const std::string& path) {
  Result<std::string> packed = ReadFile(path);
  if (!packed) return packed.error();
  unsigned long long bytes = ZSTD_getFrameContentSize(packed->data(), packed->size());
  if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN ||
      bytes > std::max<uint64_t>(kMostUnpacked, packed->size() * kMostTimes)) {
    return MakeError(ErrorCode::kBadInput, path + ": damaged");
  }
  Unpacked unpacked{std::string(bytes, '\0'), false};
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer in{packed->data(), packed->size(), 0};
  ZSTD_outBuffer out{unpacked.text.data(), unpacked.text.size(), 0};
  for (;;) {
    size_t before_in = in.pos;
    size_t before_out = out.pos;
    size_t left = ZSTD_decompressStream(context.get(), &out, &in);
    if (left == 0) unpacked.whole = out.pos == bytes;
    if (left == 0 || ZSTD_isError(left) != 0) break;
    if (in.pos == before_in && out.pos == before_out) break;
  }
  unpacked.text.resize(out.pos);
  if (out.pos == 0 && bytes != 0) return MakeError(ErrorCode::kBadInput, path + ": damaged from its beginning on");
  return unpacked;
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

Result<Unpacked> UnpackCalls(const std::string& path) {
  Result<Unpacked> calls = Unpack(path);
  if (!calls) return calls;
  bool good = calls->text.size() >= sizeof(wire::DemoHeader) &&
              std::memcmp(calls->text.data(), wire::kDemoMagic, sizeof wire::kDemoMagic) == 0;
  if (!good) return NotCalls(path);
  return calls;
}

// Up to the last entry that is there in full: what follows is put behind it.
void CutToEntries(std::string& calls) {
  size_t at = sizeof(wire::DemoHeader);
  while (at + sizeof(wire::DemoEntry) <= calls.size()) {
    wire::DemoEntry entry{};
    std::memcpy(&entry, calls.data() + at, sizeof entry);
    if (at + wire::DemoEntryBytes(entry.bytes) > calls.size()) break;
    at += wire::DemoEntryBytes(entry.bytes);
  }
  calls.resize(at);
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
  std::string damage;
  auto note = [&](const Unpacked& part, const char* name) {
    if (!part.whole) damage += (damage.empty() ? "" : ", ") + std::string(name);
  };
  Result<Unpacked> text = Unpack(folder + "/QUEUE");
  if (!text) return text.error();
  note(*text, "QUEUE");
  if (!text->whole) text->text.resize(text->text.rfind('\n') + 1);  // whole lines
  Result<Schedule> schedule = ParseSchedule(folder + "/QUEUE", text->text);
  if (!schedule) return schedule.error();
  Result<Unpacked> calls = UnpackCalls(folder + "/SYSCALL");
  if (!calls) return calls.error();
  note(*calls, "SYSCALL");
  CutToEntries(calls->text);
  Result<Unpacked> signals = UnpackCalls(folder + "/SIGNAL");
  if (!signals) return signals.error();
  note(*signals, "SIGNAL");
  // How entries of different kinds lie to each other does not matter.
  calls->text += signals->text.substr(sizeof(wire::DemoHeader));
  wire::DemoHeader header{};
  std::memcpy(&header, calls->text.data(), sizeof header);
  header.used = calls->text.size();
  std::memcpy(calls->text.data(), &header, sizeof header);
  return DemoFolder{schedule.Take(), std::move(calls->text), std::move(damage)};
}

}  // namespace heddle::sched
