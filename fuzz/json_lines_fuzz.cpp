#include "import_fuzz.h"
#include "trace/convert/json_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::trace::FuzzImport<heddle::trace::JsonLinesSource>(data, size);
  return 0;
}
