#include "predict/prediction.h"

#include "predict/model_builder.h"

namespace heddle::predict {

TraceUnderstood Understand(trace::EventSource* source) {
  TraceUnderstood trace;
  ModelBuilder builder;
  trace::Event event;
  while (source->Next(&event)) {
    trace.log.Add(event, trace.locksets, &builder);
    builder.Add(event);
    trace.locksets.Add(event);
    ++trace.events;
  }
  trace.strings = source->info().strings;
  trace.model = builder.Finish();
  return trace;
}

}  // namespace heddle::predict
