#include "predict/prediction.h"

#include "predict/window.h"

namespace heddle::predict {

ModelledTrace ModelTrace(trace::EventSource* source, Deadline deadline) {
  ModelledTrace trace;
  WindowReader(source, 0, deadline).Next(&trace);
  return trace;
}

}  // namespace heddle::predict
