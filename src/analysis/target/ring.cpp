#include "analysis/target/ring.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/target/run_files.h"
#include "base/file.h"
#include "wire/demo_format.h"
#include "wire/image_format.h"

namespace heddle::analysis {
namespace {

struct Found {
  uint64_t number = 0;
  bool finished = true;
  std::string path;
};

// Files PREFIX PART NUMBER of the folder.
std::vector<Found> Numbered(const std::string& folder, std::string_view name, std::string_view part) {
  std::vector<Found> all;
  std::string prefix = std::string(name.substr(1)) + std::string(part);
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    std::string file = entry.path().filename().string();
    if (!file.starts_with(prefix)) continue;
    Found found;
    const char* end = file.data() + file.size();
    auto [rest, error] = std::from_chars(file.data() + prefix.size(), end, found.number);
    std::string_view behind(rest, static_cast<size_t>(end - rest));
    if (error != std::errc() || (!behind.empty() && behind != wire::kUnfinishedPart)) continue;
    found.finished = behind.empty();
    found.path = entry.path().string();
    all.push_back(std::move(found));
  }
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.number < b.number; });
  return all;
}

// Whoever writes an image holds its lock until the ring is in order again.
void AwaitImages(const std::string& folder) {
  for (bool again = true; again;) {
    again = false;
    for (const Found& image : Numbered(folder, kCallsName, wire::kImagePart)) {
      int fd = open(image.path.c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) {
        again = errno == ENOENT;  // renamed meanwhile, or removed
        break;
      }
      while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
      }
      close(fd);
    }
  }
}

Result<wire::ImageHeader> ReadImageHeader(const std::string& path) {
  wire::ImageHeader header{};
  std::ifstream file(path, std::ios::binary);
  bool read = static_cast<bool>(file.read(reinterpret_cast<char*>(&header), sizeof header));
  if (!read || std::memcmp(header.magic, wire::kImageMagic, sizeof header.magic) != 0) {
    return MakeError(ErrorCode::kBadInput, path + ": not an image");
  }
  return header;
}

// The whole entries of one segment, counted.
struct Entries {
  std::string bytes;
  uint64_t calls = 0;
  uint64_t signals = 0;
  wire::DemoHeader header{};
};
Result<Entries> ReadEntries(const std::string& path) {
  Result<std::string> file = ReadFile(path);
  if (!file) return file.error();
  Entries entries;
  if (file->size() < sizeof entries.header) return MakeError(ErrorCode::kBadInput, path + ": not a recording of calls");
  std::memcpy(&entries.header, file->data(), sizeof entries.header);
  size_t limit = std::min<uint64_t>(entries.header.used, file->size());
  size_t at = sizeof entries.header;
  while (at + sizeof(wire::DemoEntry) <= limit) {
    wire::DemoEntry entry{};
    std::memcpy(&entry, file->data() + at, sizeof entry);
    uint64_t bytes = wire::DemoEntryBytes(entry.bytes);
    if (at + bytes > limit) break;
    ++(entry.call == wire::DemoCall::kSignal ? entries.signals : entries.calls);
    at += bytes;
  }
  entries.bytes = file->substr(sizeof entries.header, at - sizeof entries.header);
  return entries;
}

}  // namespace

std::vector<RingSegment> RingSegments(const std::string& folder) {
  AwaitImages(folder);
  std::map<uint64_t, RingSegment> all;
  std::error_code failure;
  if (std::filesystem::exists(folder + kStepsName, failure)) {
    all[0] = {0, folder + kStepsName, folder + kCallsName, ""};
  }
  for (const Found& found : Numbered(folder, kStepsName, wire::kRingPart)) all[found.number].steps = found.path;
  for (const Found& found : Numbered(folder, kCallsName, wire::kRingPart)) all[found.number].calls = found.path;
  for (const Found& found : Numbered(folder, kCallsName, wire::kImagePart)) {
    if (found.finished) all[found.number].image = found.path;
  }
  // From the end on, as long as none is missing.
  std::vector<RingSegment> kept;
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    at->second.number = at->first;
    bool next = kept.empty() || kept.back().number == at->first + 1;
    if (!next || at->second.steps.empty()) break;
    kept.push_back(at->second);
  }
  while (!kept.empty() && kept.back().number != 0 && kept.back().image.empty()) kept.pop_back();
  std::reverse(kept.begin(), kept.end());
  return kept;
}

Result<Ring> JoinRing(const std::string& folder) {
  Ring ring;
  uint64_t calls = 0;
  uint64_t signals = 0;
  for (const RingSegment& segment : RingSegments(folder)) {
    Result<Entries> entries = ReadEntries(segment.calls);
    if (!entries) return entries.error();
    if (!segment.image.empty()) {
      Result<wire::ImageHeader> image = ReadImageHeader(segment.image);
      if (!image) return image.error();
      if (ring.calls.empty()) ring.first = image->steps;
      ring.checkpoints.push_back({ring.checkpoints.size() + 1, image->steps, calls, signals});
      ring.images.push_back(segment.image);
    }
    wire::DemoHeader header = entries->header;
    if (!ring.calls.empty()) std::memcpy(&header, ring.calls.data(), sizeof header);
    if (ring.calls.empty()) ring.calls.assign(sizeof header, '\0');
    ring.calls += entries->bytes;
    header.used = ring.calls.size();
    header.lost = entries->header.lost == 0 ? 0 : entries->header.lost - ring.first;
    std::memcpy(ring.calls.data(), &header, sizeof header);
    calls += entries->calls;
    signals += entries->signals;
  }
  if (ring.calls.empty()) return MakeError(ErrorCode::kIo, folder + ": nothing was recorded");
  return ring;
}

void RemoveRing(const std::string& folder) {
  std::error_code failure;
  for (std::string_view name : {kStepsName, kCallsName}) {
    for (std::string_view part : {wire::kRingPart, wire::kImagePart}) {
      for (const Found& found : Numbered(folder, name, part)) std::filesystem::remove(found.path, failure);
    }
    std::filesystem::remove(folder + std::string(name), failure);
  }
}

}  // namespace heddle::analysis
