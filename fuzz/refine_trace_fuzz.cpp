// Any bytes as a trace of `heddle refine`: no crash, and what is read is written the same and can be checked.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "refine/check/check.h"
#include "refine/check/explain.h"
#include "refine/trace/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::refine;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.size() > 16) {  // a right checksum, so that the rest is looked at
    uint64_t sum = XXH3_64bits(bytes.data(), bytes.size() - 8);
    std::memcpy(bytes.data() + bytes.size() - 8, &sum, 8);
  }
  auto trace = DecodeTrace("fuzz", bytes);
  if (!trace.ok()) {
    if (trace.error().message.empty()) std::abort();
    return 0;
  }
  if (EncodeTrace(*trace) != bytes) std::abort();
  TraceText(*trace);
  Trace other = *trace;
  if (!other.events.empty()) other.events.erase(other.events.begin() + static_cast<long>(other.events.size() / 2));
  if (!AlignTraces(*trace, other)) return 0;
  Verdict verdict = CheckTraces(*trace, other);
  if (!verdict.matches()) Explain(*trace, other, verdict.violation);
  return 0;
}
