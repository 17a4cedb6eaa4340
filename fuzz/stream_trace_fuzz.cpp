// Any bytes as a text trace for inputs of every type: events in order of time, or one error with its place.
#include <cstdint>
#include <string>

#include "stream/elaborate/elaborate.h"
#include "stream/text/event_source.h"

using namespace heddle;          // NOLINT
using namespace heddle::stream;  // NOLINT

namespace {

const Graph& Inputs() {
  static const auto* graph = [] {
    SourceMap sources;
    uint32_t file = sources.Add("spec",
                                "in x: Events[Int]\nin f: Events[Float]\nin s: Events[String]\nin b: Events[Bool]\n"
                                "in u: Events[Unit]\nin o: Events[Option[Int]]\nin t: Events[(Int, String)]\n"
                                "in r: Events[{a: Int, b: Set[Int]}]\nin m: Events[Map[Int, List[Int]]]\nout *\n");
    std::vector<Diagnostic> diagnostics;
    return new Graph(BuildProgram(sources, file, {}, diagnostics)->graph);
  }();
  return *graph;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (bool strict : {false, true}) {
    auto source = TextTraceFromMemory(text, Inputs(), {"trace", strict});
    int64_t before = -1;
    int64_t time = 0;
    std::vector<InputEvent> events;
    for (;;) {
      Result<bool> more = source->NextStep(&time, &events);
      if (!more) {
        if (more.error().message.empty()) __builtin_trap();
        break;
      }
      if (!*more) break;
      if (time <= before) __builtin_trap();
      before = time;
    }
  }
  return 0;
}
