#include <fmt/format.h>

#include <unordered_map>

#include "refine/check/check.h"

namespace heddle::refine {
namespace {

Error NotComparable(std::string why) { return MakeError(ErrorCode::kLimit, "not comparable: " + std::move(why)); }

Status SameObject(const Symbol& a, const Symbol& b) {
  if (a.size() != b.size()) {
    return NotComparable(fmt::format("`{}` has {} bytes in one trace and {} in the other", a.name, a.size(), b.size()));
  }
  if (a.bytes != b.bytes) return NotComparable(fmt::format("`{}` is laid out differently", a.name));
  if (a.initial != b.initial)
    return NotComparable(fmt::format(
        "`{}` begins with another value in each build: an address of code, or of a variable in an object that "
        "was not compiled with -fdata-sections",
        a.name));
  return {};
}

using Bases = std::unordered_map<std::string, const Symbol*>;

Bases ByName(const std::vector<Symbol>& symbols) {
  Bases bases;
  for (const Symbol& symbol : symbols) bases.emplace(symbol.name, &symbol);
  return bases;
}

// Symbols that only `from` has (it accessed something that is none of the thread's) are added to `to`.
void AddMissing(std::vector<Symbol>& to, const std::vector<Symbol>& from) {
  Bases known = ByName(to);
  std::vector<Symbol> added;
  for (const Symbol& symbol : from) {
    if (!known.contains(symbol.name)) added.push_back(symbol);
  }
  for (Symbol& symbol : added) {
    symbol.base = NextBase(to);
    to.push_back(std::move(symbol));
  }
}

bool HoldsAddress(const Trace& trace, uint64_t low, uint64_t high) {
  for (const Event& event : trace.events) {
    if (event.kind() == EventKind::kWrite && event.size() == 8 && event.value >= low && event.value < high) return true;
  }
  return false;
}

// A pointer to a variable that lies elsewhere in the other build cannot be compared by value.
Status SameAddresses(const Trace& original, const Trace& transformed) {
  Bases bases = ByName(original.symbols);
  uint64_t low = ~uint64_t{0};
  uint64_t high = 0;
  bool moved = false;
  for (const Trace* trace : {&original, &transformed}) {
    for (const Symbol& symbol : trace->symbols) {
      low = std::min(low, symbol.address);
      high = std::max(high, symbol.address + symbol.size());
      auto other = bases.find(symbol.name);
      moved |= other != bases.end() && other->second->address != symbol.address;
    }
  }
  if (!moved || (!HoldsAddress(original, low, high) && !HoldsAddress(transformed, low, high))) return {};
  return NotComparable(
      "the builds have their variables at other addresses and store such addresses; compile with "
      "-fdata-sections");
}

void MapLocks(Trace& original, Trace& transformed) {
  std::unordered_map<std::string, uint32_t> index;
  for (uint32_t i = 0; i < original.locks.size(); ++i) index.emplace(original.locks[i], i);
  std::vector<uint32_t> to;
  for (const std::string& lock : transformed.locks) {
    auto [found, added] = index.emplace(lock, static_cast<uint32_t>(original.locks.size()));
    if (added) original.locks.push_back(lock);
    to.push_back(found->second);
  }
  for (Event& event : transformed.events) {
    if (event.is_sync()) event.place = to[event.place];
  }
  transformed.locks = original.locks;
}

void MapPlaces(Trace& original, Trace& transformed) {
  AddMissing(original.symbols, transformed.symbols);
  Bases to = ByName(original.symbols);
  for (Event& event : transformed.events) {
    if (event.is_sync()) continue;
    const Symbol* symbol = transformed.SymbolAt(event.place);
    event.place = event.place - symbol->base + to.find(symbol->name)->second->base;
  }
  transformed.symbols = original.symbols;
}

bool SamePlaces(const Trace& a, const Trace& b) {
  if (a.symbols.size() != b.symbols.size()) return false;
  for (size_t i = 0; i < a.symbols.size(); ++i) {
    if (a.symbols[i].name != b.symbols[i].name || a.symbols[i].base != b.symbols[i].base) return false;
  }
  return true;
}

}  // namespace

std::string SaysNothing(const Trace& original, const Violation& violation) {
  if (violation.constraint == Constraint::kStateAtLock) {
    return "the two runs had different environments: trace the other build with --like";
  }
  bool about_memory = violation.constraint == Constraint::kWriteRace || violation.constraint == Constraint::kReadRace ||
                      violation.constraint == Constraint::kStateAtUnlock ||
                      violation.constraint == Constraint::kVolatile;
  const Symbol* symbol = about_memory ? original.SymbolAt(violation.place) : nullptr;
  if (symbol == nullptr || symbol->bytes[violation.place - symbol->base].content != ByteInfo::kStatic) return "";
  return fmt::format("the builds use the static `{}` differently, which they may: remove `static` to compare it",
                     symbol->name);
}

Status AlignTraces(Trace& original, Trace& transformed) {
  if (original.thread != transformed.thread) {
    return NotComparable(
        fmt::format("traces of different threads, `{}` and `{}`", original.thread, transformed.thread));
  }
  if (original.target != transformed.target) {
    return NotComparable(
        fmt::format("builds for different architectures, {} and {}", original.target, transformed.target));
  }
  Bases bases = ByName(original.symbols);
  for (const Symbol& symbol : transformed.symbols) {
    auto other = bases.find(symbol.name);
    if (other == bases.end()) continue;
    if (Status same = SameObject(*other->second, symbol); !same) return same;
  }
  if (Status same = SameAddresses(original, transformed); !same) return same;
  if (original.locks != transformed.locks) MapLocks(original, transformed);
  if (!SamePlaces(original, transformed)) MapPlaces(original, transformed);
  return {};
}

}  // namespace heddle::refine
