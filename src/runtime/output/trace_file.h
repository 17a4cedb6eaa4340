// The trace file as the target writes it: chunks appended with one pwrite each, live buffers mapped from the file.
//
// Any thread may append; a place in the file is taken by an atomic addition, so threads never wait for each other's
// writes. When the disk is full, recording stops for good, the file says so, and the program runs on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace heddle::rt {

class Output {
 public:
  // Creates `path`, or path.PID, path.PID.1, ... if it is taken (a process forked or executed from the recorded one).
  // False, with a message, when that is not possible.
  bool Create(const char* path);

  // Writes one chunk; `payload` is complete. False when recording has stopped.
  bool Append(trace::ChunkKind kind, trace::Codec codec, uint32_t thread, uint32_t stream, uint32_t events,
              uint32_t plain_bytes, const uint8_t* payload, uint32_t bytes);
  bool AppendText(const char* text, uint32_t bytes);

  // A free live buffer for a stream; null when recording has stopped. Return gives it back empty.
  trace::LiveHeader* TakeLive(uint32_t thread, uint32_t stream);
  void ReturnLive(trace::LiveHeader* live);

  int fd() const { return fd_; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  void SetFlag(uint64_t flag);

  // Live: waits until the reader has read all of the buffer, then empties it. False when the reader is gone; recording
  // has stopped then. Must not be called between taking a sequence number and publishing its record: the reader waits
  // for that number.
  bool HandOver(trace::LiveHeader* live);

  // Gives the disk space of free live segments back; nothing is recorded after it.
  void Finish();

  // In the child of fork: forgets the parent's file without touching it. Live buffers of the parent stay unmapped.
  void Forget();

  // Around fork: no thread takes or returns a live buffer meanwhile.
  void Lock();
  void Unlock();

 private:
  static constexpr uint32_t kBuffers = 16;     // live buffers in a segment
  static constexpr uint32_t kSegments = 1024;  // 16384 streams at once
  struct Segment {
    uint8_t* base;
    uint64_t file_offset;  // of base
    uint64_t map_bytes;
  };

  bool AddSegment();
  void Stop(int error);
  bool ReaderIsThere() const;

  int fd_ = -1;
  std::atomic<uint64_t> end_{0};
  std::atomic<bool> stopped_{false};
  trace::FileHeader* header_ = nullptr;
  std::atomic<uint32_t> segments_{0};
  Segment segment_[kSegments] = {};
};

extern Output g_output;

}  // namespace heddle::rt
