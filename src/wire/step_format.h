// The two binary files between heddle and a target under control: the steps that a run performed (the runtime writes,
// heddle reads), and a schedule to be enforced (the other way). Both are of one machine and one moment; what people
// keep is the text of schedule.h. Freestanding.
#pragma once

#include <cstdint>

namespace heddle::wire {

// One visible operation. `thread` is the runtime's number of it, or (in a schedule to enforce) an index into the names.
struct Step {
  uint32_t thread;
  uint8_t operation;  // operation.h
  uint8_t result;     // trace::Outcome, where the operation has one
  uint16_t pc_high;
  uint32_t pc_low;

  uint64_t pc() const { return static_cast<uint64_t>(pc_high) << 32U | pc_low; }
};
static_assert(sizeof(Step) == 12);

// Steps: a header, the live buffer, then chunks of full buffers, each packed by itself. Header and buffer are mapped
// into the target, so whatever kills it, every step that it performed is there.
inline constexpr char kStepsMagic[8] = {'H', 'D', 'L', 'S', 'T', 'E', 'P', '1'};
inline constexpr uint64_t kStepsHeaderBytes = 4096;
inline constexpr uint32_t kLiveSteps = 8192;
inline constexpr uint64_t kLiveBytes = uint64_t{kLiveSteps} * sizeof(Step);  // 24 pages
static_assert(kLiveBytes % 4096 == 0);

struct StepsHeader {
  char magic[8];
  uint64_t packed_steps;  // in chunks
  uint64_t live_steps;    // in the buffer
  uint64_t chunks_end;    // file offset behind the last chunk
  uint64_t lost;          // nonzero: the disk was full, later steps are missing
};

struct StepsChunk {
  uint32_t steps;
  uint32_t packed_bytes;  // zstd
  uint64_t check;         // xxh64 of the packed bytes
};

// A schedule to enforce: header, `names` null-terminated thread ids one after the other (`names_bytes` in all, padded
// to 4), then the steps with indices of names.
inline constexpr char kFixedMagic[8] = {'H', 'D', 'L', 'F', 'I', 'X', 'D', '1'};
struct FixedHeader {
  char magic[8];
  uint64_t steps;
  uint32_t names;
  uint32_t names_bytes;
};

// Switches for the strategy `guided`: header and names as above, then `steps` of these, sorted by thread and count.
inline constexpr char kSwitchesMagic[8] = {'H', 'D', 'L', 'S', 'W', 'C', 'H', '1'};
struct Switch {
  uint32_t thread;  // when this thread (index of names) ...
  uint32_t target;  // ... has performed `after` steps, this one goes, if it can
  uint64_t after;
};
static_assert(sizeof(Switch) == 16);

}  // namespace heddle::wire
