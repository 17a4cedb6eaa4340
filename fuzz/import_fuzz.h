// What every fuzz target of an importer does: read any text; what was read goes through every exporter and through a
// trace file, and comes back the same.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/line_input.h"
#include "base/output_file.h"
#include "trace/convert/formats.h"
#include "trace/memory_file.h"
#include "trace/reader.h"
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
  static MemoryFile file;
  for (Format format : {Format::kStd, Format::kJsonLines, Format::kTessla, Format::kChrome}) {
    Source source(LineInput::FromMemory(text, "input"));
    auto out = OutputFile::Create(file.path());
    if (!out) std::abort();
    auto sink = MakeTextSink(format, out->get(), &source, ModuleLocator(&source.info()));
    (void)Pump(&source, sink.get());
  }
}

}  // namespace heddle::trace
