// Reads the events of a program while it runs, with bounded memory on both sides.
//
// With HEDDLE_OPTIONS=live=1 the runtime writes no event chunks. Each thread fills its live buffer, which both
// processes have mapped, and when it is full it waits until the reader has read it. So the file has only the buffers
// and the text, a slow reader slows the program down, and nothing is lost: after a crash the rest is in the buffers.
//
// Order. Sequence numbers are dense, so the reader hands out ordered events 1, 2, 3 ... and waits for a number that is
// not there yet; the runtime never waits for the reader between taking a number and publishing its record, so it comes.
// (When the program is dead, numbers that never came are passed over.) Plain accesses are handed out when they are
// seen: after their thread's last ordered event and before its next one. A TraceReader puts them right behind the
// ordered event; both are orders in which the run can have happened.
//
// The buffer's protocol: the writer only raises `used`, the reader only raises `consumed` up to it; when they are equal
// and the buffer is full, the writer sets `used`, then `consumed`, back to the start. The reader reads consumed, used,
// consumed: if both readings of consumed agree, used belongs to the same filling.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/format.h"
#include "trace/source.h"

namespace heddle::trace {

class LiveReader final : public EventSource {
 public:
  // Called when there is nothing to read. Returns false once the program has ended; it may pause.
  using Idle = std::function<bool()>;

  // kNotFound while the program has not created the file (or not completed its header): try again.
  static Result<std::unique_ptr<LiveReader>> Open(const std::string& path, Idle idle);
  ~LiveReader() override;
  LiveReader(const LiveReader&) = delete;
  LiveReader& operator=(const LiveReader&) = delete;

  // Waits for the next event. False when the program has ended and all was read, or after Detach.
  bool Next(Event* event) override;

  // The program records nothing from now on and never waits for us again.
  void Detach();

  const TraceInfo& info() const override { return info_; }
  const StackTable& stacks() const override { return stacks_; }
  const Status& status() const override { return status_; }

 private:
  struct Segment {
    void* base;
    size_t bytes;
  };
  struct Buffer {
    LiveHeader* header = nullptr;
    uint64_t at = 0;     // where we read, from the start of the buffer
    uint64_t limit = 0;  // up to where whole records are known to be
    uint32_t thread = 0;
    uint32_t stream = UINT32_MAX;
    uint32_t stack = 0;
    bool waiting = false;               // its next event is ordered and not yet due
    std::vector<uint32_t> nodes = {0};  // the stream's frames in stacks_
  };

  LiveReader(int fd, std::string path, Idle idle) : fd_(fd), path_(std::move(path)), idle_(std::move(idle)) {}
  Status Attach();
  bool TryNext(Event* event);
  bool Take(Buffer& buffer, Event* event);
  bool Fold(Buffer& buffer, const Event& event);
  bool FindWork();
  bool Refill(Buffer& buffer);
  void Scan();
  bool MapBuffers(const ChunkHeader& header, uint64_t payload);
  bool AddText(const ChunkHeader& header, uint64_t payload);

  int fd_;
  std::string path_;
  Idle idle_;
  FileHeader* header_ = nullptr;
  TraceInfo info_;
  StackTable stacks_;
  Status status_;
  std::vector<Segment> segments_;
  std::vector<Buffer> buffers_;
  std::map<uint64_t, size_t> waiting_;  // buffers by the number of their next event
  size_t current_ = SIZE_MAX;
  size_t turn_ = 0;
  uint64_t next_ = 1;                 // the number that is due
  uint64_t scanned_ = kHeaderBytes;   // chunks before this are known
  uint64_t released_ = kHeaderBytes;  // text before this has been given back to the disk
  bool ended_ = false;                // the program
  bool detached_ = false;
};

}  // namespace heddle::trace
