#include "import_fuzz.h"
#include "trace/convert/std_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::trace::FuzzImport<heddle::trace::StdSource>(data, size);
  return 0;
}
