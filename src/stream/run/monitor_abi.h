// What a compiled monitor and heddle agree on. Self-contained, see value.h.
#pragma once

#include <cstdint>
#include <limits>

#include "stream/run/value.h"

namespace heddle::stream {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

struct InputEvent {
  uint32_t input = 0;  // index into Graph::inputs
  Value value;
};

// Changes with every change of layout or of the functions below.
constexpr int kMonitorAbi = 1;

using EmitFunction = void (*)(void* context, uint32_t output, const Value& value);

// A loaded monitor exports `const heddle::stream::MonitorAbi* heddle_monitors()`, an array of `count`.
struct MonitorAbi {
  int version;
  int count;
  void* (*create)();
  void (*destroy)(void* monitor);
  void (*step)(void* monitor, int64_t time, InputEvent* events, uint64_t count, EmitFunction emit, void* context);
  int64_t (*next_delay)(const void* monitor);
  const char* (*fault)(const void* monitor);  // empty when all is well
};

}  // namespace heddle::stream
