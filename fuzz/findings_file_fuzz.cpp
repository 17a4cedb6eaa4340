// Any bytes as a findings file: reading and the search for cycles end, and touch nothing they should not.
#include <cstddef>
#include <cstdint>

#include "detect/findings_file.h"
#include "detect/lock_order.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::detect::FindingsFile file = heddle::detect::ParseFindingsFile({reinterpret_cast<const char*>(data), size});
  if (file.edges.size() < 20) heddle::detect::FindLockCycles(file.edges);
  return 0;
}
