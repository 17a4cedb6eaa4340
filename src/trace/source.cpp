#include "trace/source.h"

namespace heddle::trace {

Status Pump(EventSource* source, EventSink* sink) {
  Event event;
  while (source->Next(&event)) {
    if (Status added = sink->Add(event); !added) return added;
  }
  if (!source->status()) return source->status();
  return sink->Finish();
}

}  // namespace heddle::trace
