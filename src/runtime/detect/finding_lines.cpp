#include "runtime/detect/finding_lines.h"

#include "runtime/detect/depot.h"
#include "runtime/detect/locks.h"

namespace heddle::rt::detect {
namespace {

constexpr uint32_t kMaxDepth = 256;

}  // namespace

void AddStack(FindingsText& text, uint64_t pc, uint32_t node) {
  uint64_t path[kMaxDepth];
  uint32_t count = DepotPath(node, path, kMaxDepth);
  text.Add(FindingLine::kStack);
  if (pc != 0) text.Hex(pc);
  for (uint32_t i = 0; i < count; ++i) text.Hex(path[i]);
  text.Line();
}

void AddLocks(FindingsText& text, uint32_t node) {
  uint64_t path[kMaxDepth];
  uint32_t count = DepotPath(node, path, kMaxDepth);
  text.Add(FindingLine::kLocks);
  for (uint32_t i = count; i > 0; --i) {
    text.Hex(path[i - 1] & ~kSharedLockBit);
    if ((path[i - 1] & kSharedLockBit) != 0) text.Add(wire::kSharedMark);
  }
  text.Line();
}

}  // namespace heddle::rt::detect
