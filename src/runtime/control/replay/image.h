// A process as a file (wire/image_format.h, docs/checkpoints.md), and a process made of one.
//
// Both sides work in mappings at a fixed place, which are not part of the image. Nothing here allocates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/image_format.h"

namespace heddle::rt::control {

inline constexpr uint64_t kImagePlace = uint64_t{0x6F00} << 32U;
inline constexpr uint64_t kSharedPlace = kImagePlace + (uint64_t{1} << 32U);
inline constexpr uint64_t kImageEnd = kImagePlace + (uint64_t{1} << 40U);
inline constexpr uint64_t kMostShared = uint64_t{256} << 20U;
inline constexpr uint32_t kMaxMappings = 16384;
inline constexpr size_t kDescriptorBytes = size_t{4} << 20U;

// A line of /proc/self/maps.
struct MapsLine {
  uint64_t begin;
  uint64_t end;
  uint64_t offset;
  int protection;
  bool shared;
  bool is_file;      // it has an inode
  const char* name;  // null-terminated; empty: none
};

struct ImageWork {
  wire::ImageHeader header;
  uint32_t count;  // of `mappings`
  wire::ImageMapping mappings[kMaxMappings];
  uint64_t name_bytes;
  char names[size_t{1} << 20U];
  char descriptors[kDescriptorBytes];
  uint64_t shared_bytes;  // at kSharedPlace, of the shared mappings one after the other
  char maps[size_t{4} << 20U];
  uint64_t pages[size_t{1} << 13U];  // of /proc/self/pagemap
  // Taking up: what is mapped now, what of it stays, and a stack for that.
  uint32_t now_count;
  MapsLine now[kMaxMappings];
  uint8_t stays[kMaxMappings];
  uint8_t is_there[kMaxMappings];  // of `mappings`
  int fd;
  alignas(4096) char stack[size_t{1} << 16U];
  // For the one who goes on behind: texts of the process that took it up.
  uint64_t stop_step;
  char options[4096];
  char findings[4096];
  char steps[4096];
  char schedule[4096];
  char calls[4096];
};
inline ImageWork* Work() { return reinterpret_cast<ImageWork*>(kImagePlace); }  // NOLINT: a chosen address

// Maps the work's place. False when the kernel refuses.
bool MakeWork();
// Unmaps it, with what KeepShared kept.
void EndWork();
// The mappings of this process, but for these. -1: they cannot be read, or are too many.
long ReadMaps(ImageWork* work, MapsLine* lines, uint32_t most);

// Before the process is copied, while nobody else runs: what is in memory that a copy would share and others change
// meanwhile. Null, or why not. Files whose path begins with `own` are the runtime's.
const char* KeepShared(ImageWork* work, const char* own);

// Writes this process to `fd`, with the fields of the header from `first_fs` to `point` as they are in the work, and
// `descriptor_bytes` of descriptors. Null, or why not.
const char* WriteImage(ImageWork* work, int fd);

// Reads header and tables of the image. Null, or why this process cannot become it.
const char* ReadImage(ImageWork* work, int fd);
// Becomes it: goes on at the header's point.
[[noreturn]] void TakeUpImage();

}  // namespace heddle::rt::control
