#include "import_fuzz.h"
#include "trace/convert/tessla.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::trace::FuzzImport<heddle::trace::TesslaSource>(data, size);
  return 0;
}
