#include "predict/prediction.h"

#include "predict/window.h"

namespace heddle::predict {

TraceUnderstood Understand(trace::EventSource* source) {
  TraceUnderstood trace;
  WindowReader(source, 0).Next(&trace);
  return trace;
}

}  // namespace heddle::predict
