// Where input events come from, one step (all events of one timestamp) at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "stream/run/machine.h"

namespace heddle::stream {

class EventSource {
 public:
  virtual ~EventSource() = default;

  // Fills in the next timestamp and its events (the vector is cleared first; it stays empty when the timestamp only has
  // events of undeclared streams, which still show that time has passed). False at the end of the trace. Timestamps
  // grow; a source that reads something where they do not returns an error that says where.
  virtual Result<bool> NextStep(int64_t* time, std::vector<InputEvent>* events) = 0;

  // Names in the trace that the specification does not declare, with how many events each had.
  virtual std::vector<std::pair<std::string, uint64_t>> UnknownStreams() const { return {}; }
  virtual uint64_t EventCount() const = 0;
};

struct TextTraceOptions {
  std::string name;        // for messages
  bool strict = false;     // an undeclared stream is an error
  bool any_order = false;  // timestamps may go back; see ReorderSource
};

// The text format, `timestamp: name = value` on each line, read from a file descriptor in pieces of bounded size. Does
// not close the descriptor. `graph` says the names and types of the inputs and must outlive the source.
std::unique_ptr<EventSource> OpenTextTrace(int fd, const Graph& graph, TextTraceOptions options);

// The same from memory, which must outlive the source.
std::unique_ptr<EventSource> TextTraceFromMemory(std::string_view text, const Graph& graph, TextTraceOptions options);

}  // namespace heddle::stream
