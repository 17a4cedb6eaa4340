#include "trace/convert/formats.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "base/near.h"
#include "trace/convert/chrome.h"
#include "trace/convert/json_lines.h"
#include "trace/convert/std_text.h"
#include "trace/convert/tessla.h"
#include "trace/reader.h"

namespace heddle::trace {
namespace {

constexpr std::array<FormatName, 5> kFormats = {{
    {Format::kTrace, "trace", true, "heddle's own, binary"},
    {Format::kStd, "std", true, "RAPID's text, thread|op(arg)|location"},
    {Format::kJsonLines, "jsonl", true, "one JSON object a line, without loss"},
    {Format::kTessla, "tessla", true, "TeSSLa's input, timestamp: stream = value"},
    {Format::kChrome, "chrome", false, "JSON for Perfetto and chrome://tracing"},
}};

constexpr size_t kPeekBytes = 4096;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::unique_ptr<EventSource> TextSource(Format format, std::unique_ptr<LineInput> input) {
  if (format == Format::kStd) return std::make_unique<StdSource>(std::move(input));
  if (format == Format::kJsonLines) return std::make_unique<JsonLinesSource>(std::move(input));
  return std::make_unique<TesslaSource>(std::move(input));
}

}  // namespace

std::span<const FormatName> Formats() { return kFormats; }

std::string_view NameOf(Format format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "?";
}

Result<Format> FormatFromName(std::string_view name) {
  std::vector<std::string_view> names;
  for (const FormatName& known : kFormats) {
    if (known.name == name) return known.format;
    names.push_back(known.name);
  }
  std::string hint = DidYouMean(name, names);
  return MakeError(ErrorCode::kUsage,
                   fmt::format("unknown format `{}`: {}", name,
                               hint.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : hint));
}

std::optional<Format> GuessFormat(std::string_view start) {
  if (start.size() >= 8 && std::memcmp(start.data(), &kFileMagic, 8) == 0) return Format::kTrace;
  size_t at = start.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return std::nullopt;
  start.remove_prefix(at);
  if (start[0] == '{') return Format::kJsonLines;
  std::string_view line = start.substr(0, start.find('\n'));
  size_t digits = 0;
  while (digits < line.size() && IsDigit(line[digits])) ++digits;
  if (digits > 0 && digits < line.size() && line[digits] == ':') return Format::kTessla;
  if (line.find('|') != std::string_view::npos) return Format::kStd;
  return std::nullopt;
}

Result<std::unique_ptr<EventSource>> OpenSource(const std::string& path, std::optional<Format> format) {
  std::unique_ptr<LineInput> input;
  if (path == "-") {
    input = LineInput::FromDescriptor(STDIN_FILENO, "<stdin>");
  } else {
    auto opened = LineInput::Open(path);
    if (!opened) return opened.error();
    input = opened.Take();
  }
  if (!format) format = GuessFormat(input->Peek(kPeekBytes));
  if (!input->status()) return input->status().error();
  if (!format) {
    return MakeError(ErrorCode::kBadInput,
                     fmt::format("{}: it looks like none of the formats; say which with --from", input->name()));
  }
  if (*format == Format::kChrome) {
    return MakeError(ErrorCode::kUsage, "Chrome's format can be written but not read");
  }
  if (*format != Format::kTrace) return TextSource(*format, std::move(input));
  if (path == "-") return MakeError(ErrorCode::kUsage, "a binary trace cannot be read from a pipe: give a file");
  auto reader = TraceReader::Open(path);
  if (!reader) return reader.error();
  return std::unique_ptr<EventSource>(reader.Take());
}

std::unique_ptr<EventSink> MakeTextSink(Format format, OutputFile* out, const EventSource* source, Locator locate) {
  switch (format) {
    case Format::kTrace:
      return nullptr;
    case Format::kStd:
      return std::make_unique<StdSink>(out, source);
    case Format::kJsonLines:
      return std::make_unique<JsonLinesSink>(out, source);
    case Format::kTessla:
      return std::make_unique<TesslaSink>(out, source, std::move(locate));
    case Format::kChrome:
      return std::make_unique<ChromeSink>(out, source, std::move(locate));
  }
  return nullptr;
}

}  // namespace heddle::trace
