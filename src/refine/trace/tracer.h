// Runs one thread of a linked program in an emulator (Unicorn) and records its trace.
//
// A Tracer keeps the emulator and its translated code; Run() starts from the program's initial memory each time. Not
// for use by several threads at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "refine/trace/image.h"
#include "refine/trace/trace.h"

namespace heddle::refine {

// A write of the environment at the beginning of a transition, besides those at locks (docs/refine.md, extra reads).
struct Poke {
  uint32_t transition = 0;
  uint32_t place = 0;
  uint32_t size = 1;
  uint64_t value = 0;
};

struct TraceOptions {
  uint64_t seed = 0;
  uint64_t max_blocks = 200'000;  // basic blocks until the run is given up
  bool lines = false;             // source lines of the events; much slower
  // The environment writes what it wrote in this trace, lock operation by lock operation. Null: it writes anew.
  const Trace* environment_of = nullptr;
  bool environment = true;  // false: it writes nothing
  std::string prefix;       // the thread's variables begin with this; empty: all
  std::vector<Poke> pokes;
  int compare_scale = 1;  // memcmp returns its sign times this; C leaves the value open
};

class Tracer {
 public:
  // The image must outlive the tracer. kUnsupported when the emulator refuses.
  static Result<std::unique_ptr<Tracer>> Make(const Image& image);
  virtual ~Tracer() = default;

  // kNotFound when there is no such function. A run that does not reach the end is a trace with another RunEnd.
  virtual Result<Trace> Run(const std::string& thread, const TraceOptions& options) = 0;
};

}  // namespace heddle::refine
