// The bytes of a trace file; docs/trace-format.md describes them one by one.
//
//   FileHeader, padded to kHeaderBytes
//   chunk*: ChunkHeader, payload, padding to a multiple of 8
//
// A chunk holds the events of one stream (a thread, or one signal handler nested in it), or text about the run, or the
// live buffers that threads fill before their events become chunks. The live buffers are mapped from the file, so what
// a killed program had recorded is still there.
//
// Freestanding: the runtime that lives in the target includes this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/event_kind.h"

namespace heddle::trace {

inline constexpr uint64_t kFileMagic = 0x31435254'4c444548ULL;  // "HEDLTRC1"
inline constexpr uint32_t kFileVersion = 1;
inline constexpr uint32_t kHeaderBytes = 4096;
inline constexpr uint32_t kChunkMagic = 0x4b484348U;  // "HCHK"

// FileHeader::flags; the runtime sets them while the program runs.
inline constexpr uint64_t kFlagFinished = 1;    // the program ended and every buffer was written
inline constexpr uint64_t kFlagNoSpace = 2;     // recording stopped because the disk was full
inline constexpr uint64_t kFlagSerialised = 4;  // one thread ran at a time: plain accesses are in global order too
inline constexpr uint64_t kFlagLive = 8;        // events are handed to a reader through the live buffers, see below

struct FileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;
  uint64_t flags;
  uint64_t start_realtime_ns;
  uint32_t pid;
  uint32_t reader;     // live: a ReaderState, which the reader sets
  uint64_t end_bytes;  // size of the file when it was complete; 0: it never was, or its writer does not say
};
static_assert(sizeof(FileHeader) == 48);

enum class ReaderState : uint32_t { None = 0, Attached = 1, Gone = 2 };

enum class ChunkKind : uint8_t { Events = 1, Live = 2, Text = 3 };
enum class Codec : uint8_t { Raw = 0, Zstd = 1 };

struct ChunkHeader {
  uint32_t magic;
  ChunkKind kind;
  Codec codec;
  uint16_t reserved;
  uint32_t thread;         // events: whose they are
  uint32_t stream;         // events: which stream of that thread; streams are unique in the file
  uint32_t events;         // events: how many
  uint32_t plain_bytes;    // size of the payload before compression
  uint32_t stored_bytes;   // size of the payload in the file
  uint32_t header_check;   // low half of xxh64 over the 28 bytes before and payload_check
  uint64_t payload_check;  // xxh64 of the stored payload; 0 for live buffers, which change
};
static_assert(sizeof(ChunkHeader) == 40);

// A record as the threads write it and as live buffers hold it: one slot, then kKindWords/2 slots of two arguments.
//   head:  address (48 bits) | detail << 48 | kind << 56
//   tail:  code address (48 bits) | result << 48 | order << 56
struct Slot {
  uint64_t head;
  uint64_t tail;
};
static_assert(sizeof(Slot) == 16);

inline constexpr uint64_t kAddressMask = (uint64_t{1} << 48U) - 1;

constexpr uint64_t PackHead(Kind kind, uint8_t detail, uint64_t address) {
  return (address & kAddressMask) | static_cast<uint64_t>(detail) << 48U | static_cast<uint64_t>(kind) << 56U;
}
constexpr uint64_t PackTail(uint64_t pc, uint8_t result, uint8_t order) {
  return (pc & kAddressMask) | static_cast<uint64_t>(result) << 48U | static_cast<uint64_t>(order) << 56U;
}
constexpr uint8_t KindByte(const Slot& slot) { return static_cast<uint8_t>(slot.head >> 56U); }
constexpr uint8_t DetailByte(const Slot& slot) { return static_cast<uint8_t>(slot.head >> 48U); }
constexpr uint8_t ResultByte(const Slot& slot) { return static_cast<uint8_t>(slot.tail >> 48U); }
constexpr uint8_t OrderByte(const Slot& slot) { return static_cast<uint8_t>(slot.tail >> 56U); }
constexpr uint64_t AddressOf(const Slot& slot) { return slot.head & kAddressMask; }
constexpr uint64_t PcOf(const Slot& slot) { return slot.tail & kAddressMask; }

// The payload of a live chunk, from its first multiple of 4096 in the file, is an array of buffers of kLiveBytes each;
// a buffer is this header, then slots.
inline constexpr uint32_t kLiveBytes = 65536;
struct LiveHeader {
  uint32_t in_use;  // 0: free
  uint32_t thread;
  uint32_t stream;
  uint32_t reserved;
  uint64_t used;      // bytes from the start of the buffer, this header included, that hold whole records
  uint64_t consumed;  // live: up to where the reader has read; the writer waits for it before it empties the buffer
  uint64_t reserved2[4];
};
static_assert(sizeof(LiveHeader) == 64);
inline constexpr uint32_t kLiveSlots = (kLiveBytes - sizeof(LiveHeader)) / sizeof(Slot);

// Text chunks hold lines; the first word says what the rest of the line is:
//   module BASE BEGIN END BUILD_ID PATH   hexadecimal; addresses [BEGIN, END) belong to PATH, loaded BASE above its own
//   command WORD...                   the command line
//   thread THREAD ID START            a thread: its stable id (T0, T2, T2.1) and the address of its start function
//   name THREAD TEXT                  a name that the program gave it
//   string ID TEXT                    text that User events refer to
//   symbol ADDRESS TEXT               hexadecimal; what an object is called, in traces that have names, not addresses
inline constexpr uint32_t kMaxTextBytes = 1U << 20U;
inline constexpr uint32_t kMaxPlainBytes = 1U << 22U;  // a reader refuses larger chunks

}  // namespace heddle::trace
