// The readers of litmus tests on any text: they must answer with a test or with a message.
#include <cstddef>
#include <cstdint>
#include <string>

#include "litmus/syntax/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto test = heddle::litmus::ParseLitmus("fuzz.litmus", std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
