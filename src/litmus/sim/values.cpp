#include "litmus/sim/values.h"

namespace heddle::litmus {
namespace {

constexpr size_t kMostWays = 16;

}  // namespace

bool AddWay(Ways& ways, const Reads& through) {
  for (const Reads& known : ways) {
    if ((known & through) == known) return false;
  }
  std::erase_if(ways, [&](const Reads& known) { return (known & through) == through; });
  ways.push_back(through);
  if (ways.size() <= kMostWays) return true;
  Reads common = ways[0];
  for (const Reads& known : ways) common &= known;
  ways = {common};
  return true;
}

bool CommonWay(const Ways& ways, int read, Reads& common) {
  bool found = false;
  for (const Reads& way : ways) {
    if (read >= 0 && way.test(static_cast<size_t>(read))) continue;
    common = found ? common & way : way;
    found = true;
  }
  if (found && read >= 0) common.set(static_cast<size_t>(read));
  return found;
}

bool Grow(const Values& next, bool fresh, Values& values) {
  bool grown = false;
  for (size_t cell = 0; cell < values.size(); ++cell) {
    for (const auto& [value, ways] : next[cell]) {
      auto known = values[cell].find(value);
      if (known == values[cell].end()) {
        if (fresh) values[cell].emplace(value, ways);
        grown = grown || fresh;
        continue;
      }
      for (const Reads& way : ways) grown = AddWay(known->second, way) || grown;
    }
  }
  return grown;
}

}  // namespace heddle::litmus
