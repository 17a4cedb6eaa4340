// A trace in windows, so that memory does not grow with it (section 4.7.3 of "Predicting Errors in Concurrent
// Systems"): each window is a trace of its own whose reorderings begin with everything before it, in the order of the
// run (the PREFIX). What the prefix leaves behind comes first in the window's model, as operations that all others wait
// for: locks that are held, barriers that are entered; semaphores begin with their value. Nothing is found whose parts
// lie in different windows.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/deadline.h"
#include "predict/prediction.h"
#include "trace/source.h"

namespace heddle::predict {

// What the objects of a trace look like at a point of it.
class Carried {
 public:
  void Add(const trace::Event& event);

  // Events that bring a new model to this state.
  std::vector<trace::Event> Events() const;

 private:
  struct Held {
    uint64_t lock;
    uint8_t detail;
    uint32_t depth;
  };
  struct Meeting {
    uint64_t count = 0;
    std::vector<uint32_t> inside;  // threads that have entered and not left
  };
  void Take(uint32_t thread, uint64_t lock, uint8_t detail);
  void Drop(uint32_t thread, uint64_t lock);

  std::map<uint32_t, std::vector<Held>> held_;
  std::map<uint64_t, int64_t> semaphores_;
  std::map<uint64_t, Meeting> barriers_;
};

class WindowReader {
 public:
  // `events`: how many make a window; 0: all. The window in which the deadline passes ends there and is the last one.
  // The source must outlive this.
  WindowReader(trace::EventSource* source, uint64_t events, Deadline deadline = {})
      : source_(source), most_(events), deadline_(deadline) {}

  // The next window; false when the trace is over. The one before must not be used any more.
  bool Next(ModelledTrace* trace);

  uint64_t windows() const { return windows_; }

 private:
  trace::EventSource* source_;
  uint64_t most_;
  Deadline deadline_;
  uint64_t windows_ = 0;
  bool ended_ = false;
  Carried carried_;
};

}  // namespace heddle::predict
