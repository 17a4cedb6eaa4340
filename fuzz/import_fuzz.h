// What every fuzz target of an importer does: read any text; what was read goes through every exporter and the writer
// of traces.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/convert/formats.h"
#include "trace/writer.h"

namespace heddle::trace {

template <typename Source>
void FuzzImport(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  {
    Source source(LineInput::FromMemory(text, "input"));
    Event event;
    while (source.Next(&event)) {
    }
    // An error has a place.
    if (!source.status() && source.status().error().message.find("input") == std::string::npos) std::abort();
  }
  for (Format format : {Format::kStd, Format::kJsonLines, Format::kTessla, Format::kChrome}) {
    Source source(LineInput::FromMemory(text, "input"));
    auto out = OutputFile::Create("/dev/null");
    if (!out) std::abort();
    auto sink = MakeTextSink(format, out->get(), &source, ModuleLocator(&source.info()));
    (void)Pump(&source, sink.get());
  }
  Source source(LineInput::FromMemory(text, "input"));
  auto writer = TraceWriter::Create("/dev/null", &source.info(), &source.stacks());
  if (!writer) std::abort();
  (void)Pump(&source, writer->get());
}

}  // namespace heddle::trace
