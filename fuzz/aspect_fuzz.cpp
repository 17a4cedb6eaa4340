// Any bytes as an aspect file: no crash, and what is read is printed and read back the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "instrument/aspect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::instrument;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto orders = ParseAspects("fuzz", text);
  if (!orders.ok()) {
    if (orders.error().message.empty()) std::abort();
    return 0;
  }
  std::string printed = PrintAspects(*orders);
  auto again = ParseAspects("fuzz", printed);
  if (!again.ok() || PrintAspects(*again) != printed || WeaveText(*again) != WeaveText(*orders)) std::abort();
  return 0;
}
