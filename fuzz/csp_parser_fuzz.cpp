// The front end of the CSP_M checker on any text: it must answer with a script or with messages.
#include <cstddef>
#include <cstdint>
#include <string>

#include "csp/csp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto script = heddle::csp::Script::FromText("fuzz.csp", text, {});
  return 0;
}
