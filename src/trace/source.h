// Where events come from and where they go: what trace files, importers and exporters have in common.
#pragma once

#include "base/result.h"
#include "trace/event.h"
#include "trace/info.h"
#include "trace/stack_table.h"

namespace heddle::trace {

// Events in one order: ordered events by growing sequence numbers, a thread's plain accesses between its ordered ones.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // False at the end, or after an error, which status() then has.
  virtual bool Next(Event* event) = 0;

  // Importers learn about threads and names as they go: complete when Next has returned false.
  virtual const TraceInfo& info() const = 0;
  virtual const StackTable& stacks() const = 0;
  virtual const Status& status() const = 0;
};

// Takes the events of a source in the source's order. Looks up info and stacks in the source, which outlives it.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual Status Add(const Event& event) = 0;
  // Nothing is complete before Finish, and no file with the final name exists.
  virtual Status Finish() = 0;
  // Events that are not in the output because its format has no word for them.
  virtual uint64_t left_out() const { return 0; }
};

// All of `source` into `sink`.
Status Pump(EventSource* source, EventSink* sink);

}  // namespace heddle::trace
