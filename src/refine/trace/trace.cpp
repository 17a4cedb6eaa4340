#include "refine/trace/trace.h"

#include <algorithm>

namespace heddle::refine {

uint32_t NextBase(const std::vector<Symbol>& symbols) {
  if (symbols.empty()) return 0;
  uint32_t end = symbols.back().base + symbols.back().size();
  return (end + 16) / 8 * 8;
}

uint32_t Trace::PlaceLimit() const { return NextBase(symbols); }

const Symbol* Trace::SymbolAt(uint32_t place) const {
  auto after = std::upper_bound(symbols.begin(), symbols.end(), place,
                                [](uint32_t value, const Symbol& symbol) { return value < symbol.base; });
  if (after == symbols.begin()) return nullptr;
  const Symbol& symbol = *(after - 1);
  return place < symbol.base + symbol.size() ? &symbol : nullptr;
}

std::string Trace::PlaceName(uint32_t place) const {
  const Symbol* symbol = SymbolAt(place);
  if (symbol == nullptr) return "place " + std::to_string(place);
  uint32_t offset = place - symbol->base;
  return offset == 0 ? symbol->name : symbol->name + "+" + std::to_string(offset);
}

}  // namespace heddle::refine
