#include "predict/prediction.h"

#include "predict/window.h"

namespace heddle::predict {

ModelledTrace ModelTrace(trace::EventSource* source) {
  ModelledTrace trace;
  WindowReader(source, 0).Next(&trace);
  return trace;
}

}  // namespace heddle::predict
