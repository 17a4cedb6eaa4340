// A process at one step of a controlled run, as a file (docs/checkpoints.md): the copy of a recorded program writes it,
// a replay takes it up. Of one machine. Freestanding.
//
// Header; pieces, each an ImagePiece with its bytes behind it, the last one empty; from `tables` on the mappings, the
// open descriptors (each with its path behind it, padded to 8), and the names of mapped files, null-terminated.
#pragma once

#include <cstdint>

namespace heddle::wire {

inline constexpr char kImageMagic[8] = {'H', 'D', 'L', 'I', 'M', 'A', 'G', '1'};
// Files of a ring beside those of the first segment: NAME.ring.N; images are CALLS.image.N.
inline constexpr char kRingPart[] = ".ring.";
inline constexpr char kImagePart[] = ".image.";
inline constexpr char kUnfinishedPart[] = ".tmp";  // locked (flock) while it is written, renamed behind that
inline constexpr int kImageSignals = 64;

// The machine's state of the thread that had the turn, as runtime/control/search/restart_point.h has it.
inline constexpr int kPointWords = 9;

struct ImageHeader {
  char magic[8];
  uint64_t steps;   // performed before
  uint64_t tables;  // place in the file
  uint64_t mappings;
  uint64_t descriptors;       // their number
  uint64_t descriptor_bytes;  // with the paths
  uint64_t name_bytes;
  uint64_t heap_end;     // brk
  uint64_t kernel_code;  // where the kernel put its own (vdso)
  uint64_t stack_end;    // of the first thread
  uint64_t first_fs;     // TLS base of the first thread
  uint64_t fs;           // ... and of the one that had the turn
  uint64_t told;         // address of a word: the one who takes it up writes there that it is so
  uint64_t point[kPointWords];
  uint64_t mask;                       // of signals
  uint64_t actions[kImageSignals][4];  // as the kernel has them
  char folder[4096];
};

enum class MappingKind : uint32_t {
  kAnonymous,  // pieces have what is not zero
  kFile,       // private; pieces have what was written
  kShared,     // the same as anonymous, but children share it
  kStack,      // of the first thread
  kHeap,       // brk
};

struct ImageMapping {
  uint64_t begin;
  uint64_t end;
  uint32_t protection;  // PROT_*
  MappingKind kind;
  uint64_t offset;  // in the file
  uint64_t name;    // in the names
  uint64_t pieces;  // bytes of it that pieces have
  // Of the file, to say when it is another one.
  int64_t bytes;
  int64_t seconds;
  int64_t nanoseconds;
};

struct ImagePiece {
  uint64_t address;
  uint64_t bytes;
};

struct ImageDescriptor {
  int32_t number;
  int32_t flags;  // of the open file, and O_CLOEXEC
  uint8_t how;    // runtime/control/replay/written_files.h: OpenHow
  uint8_t again;  // a regular file or folder that is opened again
  uint16_t path_bytes;
  int32_t same_as;  // shares the open file with this number, -1: with none before it
  int64_t place;    // in the file
};
static_assert(sizeof(ImageDescriptor) == 24);

}  // namespace heddle::wire
