// heddle trace convert: from one trace format to another.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/trace_verbs.h"
#include "symbolize/trace_names.h"
#include "trace/convert/formats.h"
#include "trace/writer.h"

namespace heddle::cli {
namespace {

using trace::Format;

struct Request {
  std::string input;
  std::string output;
  std::string from;
  std::string to;
};

Result<std::unique_ptr<OutputFile>> OpenOutput(const std::string& path) {
  if (path == "-") return OutputFile::ToDescriptor(STDOUT_FILENO, "<stdout>");
  return OutputFile::Create(path);
}

Status ToTrace(trace::EventSource* source, const std::string& path) {
  if (path == "-")
    return MakeError(ErrorCode::kUsage, "a binary trace cannot be written to a pipe: give a file with -o");
  auto writer = trace::TraceWriter::Create(path, &source->info(), &source->stacks());
  if (!writer) return writer.error();
  return trace::Pump(source, writer->get());
}

Status ToText(trace::EventSource* source, Format format, const std::string& path, uint64_t* left_out) {
  auto out = OpenOutput(path);
  if (!out) return out.error();
  symbolize::TraceNames names(source);
  auto sink = trace::MakeTextSink(format, out->get(), source, [&](uint64_t pc) { return names.LocationOf(pc); });
  Status status = trace::Pump(source, sink.get());
  *left_out = sink->left_out();
  return status;
}

int Convert(const Request& request) {
  std::optional<Format> from;
  if (!request.from.empty()) {
    Result<Format> named = trace::FormatFromName(request.from);
    if (!named) return Fail("trace convert", named.error());
    from = *named;
  }
  Result<Format> to = trace::FormatFromName(request.to);
  if (!to) return Fail("trace convert", to.error());
  auto source = trace::OpenSource(request.input, from);
  if (!source) return Fail("trace convert", source.error());
  uint64_t left_out = 0;
  Status status = *to == Format::kTrace ? ToTrace(source->get(), request.output)
                                        : ToText(source->get(), *to, request.output, &left_out);
  if (!status) return Fail("trace convert", status.error());
  if (left_out != 0) {
    fmt::print(stderr, "heddle trace convert: {} events are left out: {} has no word for them\n", left_out,
               trace::NameOf(*to));
  }
  return TellDamage("trace convert", (*source)->info());
}

std::string FormatList() {
  std::string text = "formats:\n";
  for (const trace::FormatName& format : trace::Formats()) {
    text += fmt::format("  {:<8} {}{}\n", format.name, format.summary, format.readable ? "" : " (only --to)");
  }
  return text + "example: heddle trace convert --to std run.trace -o run.std";
}

}  // namespace

int ConvertTrace(const Arguments& arguments) {
  CLI::App app("Converts a trace to another format.", "heddle trace convert");
  Request request;
  app.add_option("--from", request.from, "format of the input; without it the content tells");
  app.add_option("--to", request.to, "format of the output")->required();
  app.add_option("trace", request.input, "the input; - is standard input")->required();
  app.add_option("-o,--output", request.output, "the output; - is standard output")->required();
  app.footer(FormatList());
  if (int code = Parse(app, arguments); code >= 0) return code;
  return Convert(request);
}

}  // namespace heddle::cli
