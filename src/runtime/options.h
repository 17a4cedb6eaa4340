// Settings of the runtime, read once from the environment (options.inc is the table).
#pragma once

#include <cstdint>

namespace heddle::rt {

struct Options {
#define HEDDLE_OPTION(type, name, value, text) type name = value;
#include "runtime/options.inc"
#undef HEDDLE_OPTION
};

extern Options g_options;

// Reads `text` ("name=value:..."; null is empty) into g_options. An unknown name or a bad value is reported once on
// standard error and otherwise passed over: a tool in the target must not end the target.
void ParseOptions(const char* text);

}  // namespace heddle::rt
