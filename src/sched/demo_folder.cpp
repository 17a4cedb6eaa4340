#include "sched/demo_folder.h"

#include <zstd.h>

#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "sched/demo_format.h"

namespace heddle::sched {
namespace {

constexpr int kLevel = 9;
constexpr uint64_t kMaxUnpacked = uint64_t{1} << 34U;

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
  if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes > kMaxUnpacked) return damaged;
  std::string text(bytes, '\0');
  size_t got = ZSTD_decompress(text.data(), text.size(), packed->data(), packed->size());
  if (ZSTD_isError(got) != 0 || got != bytes) return damaged;
  return text;
}

}  // namespace

bool IsDemo(const std::string& folder) {
  std::error_code failure;
  return std::filesystem::exists(folder + "/META", failure) && std::filesystem::exists(folder + "/QUEUE", failure);
}

Status SaveDemo(const std::string& folder, const DemoFolder& demo) {
  Schedule header;
  header.header = demo.schedule.header;
  Status saved = WriteFileAtomic(folder + "/QUEUE", Pack(PrintSchedule(demo.schedule)));
  if (saved) saved = WriteFileAtomic(folder + "/SYSCALL", Pack(demo.calls));
  if (saved) saved = WriteFileAtomic(folder + "/META", PrintSchedule(header));  // last: it makes the folder a demo
  return saved;
}

Result<DemoFolder> LoadDemo(const std::string& folder) {
  Result<std::string> text = Unpack(folder + "/QUEUE");
  if (!text) return text.error();
  Result<Schedule> schedule = ParseSchedule(folder + "/QUEUE", *text);
  if (!schedule) return schedule.error();
  Result<std::string> calls = Unpack(folder + "/SYSCALL");
  if (!calls) return calls.error();
  bool good = calls->size() >= sizeof(DemoHeader) && std::memcmp(calls->data(), kDemoMagic, sizeof kDemoMagic) == 0;
  if (!good) return MakeError(ErrorCode::kBadInput, folder + "/SYSCALL: not a recording of calls");
  return DemoFolder{schedule.Take(), calls.Take()};
}

}  // namespace heddle::sched
