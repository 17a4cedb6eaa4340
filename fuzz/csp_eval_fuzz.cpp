// Checks whatever the fuzzer makes of a script, within small limits: no crash, no hang, whatever it says.
#include <cstddef>
#include <cstdint>
#include <string>

#include "csp/csp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = "channel a, b, c\nchannel n : {0..2}\ndatatype D = A | B.{0..1}\nchannel d : D\n";
  text.append(reinterpret_cast<const char*>(data), size);
  auto script = heddle::csp::Script::FromText("fuzz.csp", text, {});
  if (!script) return 0;
  heddle::csp::CheckOptions options;
  options.max_states = 2000;
  options.max_seconds = 0.5;
  options.max_bytes = 64 << 20;
  (*script)->CheckAll(options);
  (*script)->Prints();
  return 0;
}
