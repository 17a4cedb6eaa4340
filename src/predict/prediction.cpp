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
  for (uint32_t thread = 0; thread < trace.model.threads.size(); ++thread) {
    trace.threads.push_back(source->info().ThreadId(thread));
  }
  return trace;
}

}  // namespace heddle::predict
