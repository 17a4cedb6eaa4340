// The cat language on any text: it must answer with a program or with a message.
#include <cstddef>
#include <cstdint>
#include <string>

#include "litmus/model/cat_compile.h"
#include "litmus/model/cat_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::SourceMap sources;
  auto model =
      heddle::litmus::ParseCatText(sources, "fuzz.cat", std::string(reinterpret_cast<const char*>(data), size), {});
  if (model) auto program = heddle::litmus::CompileCat(sources, *model);
  return 0;
}
