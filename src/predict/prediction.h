// All of prediction on one trace: reads the events, makes the model, asks the engines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "predict/access_log.h"
#include "predict/deadlock_search.h"
#include "predict/model.h"
#include "predict/race_search.h"
#include "trace/source.h"

namespace heddle::predict {

struct ModelledTrace {
  TraceModel model;
  AccessLog log;
  Locksets locksets;
  uint64_t events = 0;
  bool cut = false;                         // the deadline came before the end of the trace: this is a prefix
  std::vector<std::string> threads;         // stable ids
  std::vector<uint32_t> carried;            // by thread: first operations that stand for what was before the window
  std::map<uint64_t, std::string> strings;  // names of the program's own events
};

// Reads the source to its end, or until the deadline: what was read by then is a trace of its own.
ModelledTrace ModelTrace(trace::EventSource* source, Deadline deadline = {});

}  // namespace heddle::predict
