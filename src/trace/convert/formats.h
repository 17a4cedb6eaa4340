// The formats that traces come in and go to, by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/convert/location.h"
#include "trace/source.h"

namespace heddle::trace {

enum class Format { kTrace, kStd, kJsonLines, kTessla, kChrome };

struct FormatName {
  Format format;
  std::string_view name;
  bool readable;
  std::string_view summary;
};
std::span<const FormatName> Formats();
std::string_view NameOf(Format format);

// The format of that name, or a usage error with the nearest name.
Result<Format> FormatFromName(std::string_view name);

// The format of a file that starts with `start`; nothing when it is like none of them.
std::optional<Format> GuessFormat(std::string_view start);

// Opens `path` ("-": standard input, for text formats) as `format`, or as what it looks like.
Result<std::unique_ptr<EventSource>> OpenSource(const std::string& path, std::optional<Format> format);

// A sink for a text format. `out` and `source` must outlive it. Null for Format::kTrace, which TraceWriter writes.
std::unique_ptr<EventSink> MakeTextSink(Format format, OutputFile* out, const EventSource* source, Locator locate);

}  // namespace heddle::trace
