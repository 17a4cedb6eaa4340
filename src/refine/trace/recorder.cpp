#include "refine/trace/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "refine/trace/environment.h"

namespace heddle::refine {

namespace {

// Locals are in the first bytes of the stack; an integer that happens to look like an address of the rest is none.
constexpr uint64_t kStackUsed = 64 * 1024;

}  // namespace

Recorder::Recorder(const Image& image, uint8_t* memory, const std::string& thread, const TraceOptions& options)
    : image_(image), memory_(memory), options_(options) {
  trace_.thread = thread;
  trace_.build = image.build;
  trace_.target = image.arch->name;
  trace_.locks = {kThreadLockName};
  acquisitions_ = {0};
  for (const ImageVariable& variable : image.variables) {
    if (!variable.name.starts_with(options.prefix)) continue;
    Symbol symbol = MakeSymbol(variable);
    symbol.base = NextBase(trace_.symbols);
    trace_.symbols.push_back(std::move(symbol));
  }
  accessed_.resize(trace_.PlaceLimit());
  if (options.environment_of == nullptr) return;
  const std::vector<Event>& events = options.environment_of->events;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].is_sync()) replay_syncs_.push_back(i);
  }
}

Symbol Recorder::MakeSymbol(const ImageVariable& variable) const {
  Symbol symbol;
  symbol.name = variable.name;
  symbol.address = variable.address;
  auto begin = image_.data.begin() + static_cast<long>(variable.address - kDataBase);
  symbol.initial.assign(begin, begin + static_cast<long>(variable.size));
  auto layout = image_.layouts->find(variable.name);
  if (layout != image_.layouts->end() && layout->second.size() == variable.size) {
    symbol.bytes = layout->second;
  } else {
    symbol.bytes.resize(variable.size);
    for (uint32_t i = 0; i < variable.size; ++i) {
      symbol.bytes[i].location = i;
      symbol.bytes[i].content = ByteInfo::kUnknown;
    }
  }
  for (ByteInfo& byte : symbol.bytes) {
    if (variable.is_static && byte.content != ByteInfo::kAtomic) byte.content = ByteInfo::kStatic;
  }
  return symbol;
}

int Recorder::SymbolFor(uint64_t address) {
  auto inside = [&](const Symbol& symbol) { return address - symbol.address < symbol.size(); };
  if (last_symbol_ >= 0 && inside(trace_.symbols[static_cast<size_t>(last_symbol_)])) return last_symbol_;
  for (size_t i = 0; i < trace_.symbols.size(); ++i) {
    if (inside(trace_.symbols[i])) return last_symbol_ = static_cast<int>(i);
  }
  for (const ImageVariable& variable : image_.variables) {
    if (address - variable.address >= variable.size) continue;
    Symbol symbol = MakeSymbol(variable);
    symbol.base = NextBase(trace_.symbols);
    trace_.symbols.push_back(std::move(symbol));
    accessed_.resize(trace_.PlaceLimit());
    return last_symbol_ = static_cast<int>(trace_.symbols.size() - 1);
  }
  return -1;
}

void Recorder::NoteAccess(const Symbol& symbol, uint32_t offset, uint32_t size) {
  for (uint32_t i = offset; i < offset + size; ++i) {
    accessed_[symbol.base + symbol.bytes[i].location] = transition_;
    if (symbol.bytes[i].content == ByteInfo::kAtomic) {
      return Stop(RunEnd::kAtomic, fmt::format("`{}` is atomic: the check covers locks only", symbol.name));
    }
    if (symbol.bytes[i].content == ByteInfo::kUnknown) {
      return Stop(RunEnd::kNoLayout,
                  fmt::format("there is no debug information about `{}`: compile with -g", symbol.name));
    }
  }
}

// Addresses of locals and of unnamed constants differ from build to build; a stored one cannot be compared.
void Recorder::CheckEscape(const Symbol& symbol, uint64_t address, uint32_t size, uint64_t value) {
  bool on_stack = value >= kStackBase + kStackSize - kStackUsed && value < kStackBase + kStackSize;
  bool in_code = value >= kCodeBase && value < kCodeBase + image_.code.size();
  bool in_stubs = value >= kStubBase && value < kStubBase + 16 * image_.stubs.size();
  if (size != 8 || (!on_stack && !in_code && !in_stubs)) return;
  if (in_stubs) {
    return Stop(RunEnd::kEscape, fmt::format("the address of `{}`, which is not in the object, is stored in `{}`",
                                             image_.stubs[(value - kStubBase) / 16], symbol.name));
  }
  for (const auto& [name, at] : image_.functions) {
    if (at == value) {
      Stop(RunEnd::kEscape, fmt::format("the address of the function `{}` is stored in `{}`", name, symbol.name));
    }
  }
  const char* what = value >= kStackBase ? "a local variable" : "an unnamed constant or function";
  Stop(RunEnd::kEscape,
       fmt::format("the address of {} is stored in `{}+{}`", what, symbol.name, address - symbol.address));
}

void Recorder::Piece(EventKind kind, const Symbol& symbol, uint64_t address, uint32_t size, uint64_t value,
                     uint32_t line) {
  auto offset = static_cast<uint32_t>(address - symbol.address);
  NoteAccess(symbol, offset, size);
  if (kind == EventKind::kWrite) CheckEscape(symbol, address, size, value);
  trace_.events.push_back(Event::Make(kind, symbol.base + offset, size, value, line));
}

// Between two variables. Reads are harmless: a compiler may load a whole aligned word.
void Recorder::Outside(EventKind kind, uint64_t address, uint32_t size, uint64_t value, uint32_t line) {
  if (kind == EventKind::kWrite) {
    const char* before = "the first variable";
    for (const ImageVariable& variable : image_.variables) {
      if (variable.address <= address) before = variable.name.c_str();
    }
    return Stop(RunEnd::kWroteOutside, fmt::format("a write outside of every variable, behind `{}`", before));
  }
  if (size > 1) Access(kind, address + 1, size - 1, value >> 8, line);
}

void Recorder::Access(EventKind kind, uint64_t address, uint32_t size, uint64_t value, uint32_t line) {
  if (stopped()) return;
  while (size > 0) {
    int index = SymbolFor(address);
    if (index < 0) return Outside(kind, address, size, value, line);
    const Symbol& symbol = trace_.symbols[static_cast<size_t>(index)];
    uint64_t room = symbol.address + symbol.size() - address;
    uint32_t piece = static_cast<uint32_t>(std::min<uint64_t>({size, room, 8}));
    uint64_t part = piece == 8 ? value : value & ((uint64_t{1} << (8 * piece)) - 1);
    Piece(kind, symbol, address, piece, part, line);
    address += piece;
    size -= piece;
    value = piece == 8 ? 0 : value >> (8 * piece);
  }
}

uint8_t* Recorder::At(uint32_t place) {
  const Symbol* symbol = trace_.SymbolAt(place);
  return memory_ + (symbol->address - kDataBase) + (place - symbol->base);
}

uint32_t Recorder::LockIndex(uint64_t address) {
  std::string name = fmt::format("lock at {:#x}", address);
  for (const ImageVariable& variable : image_.variables) {
    if (address - variable.address >= variable.size) continue;
    uint64_t offset = address - variable.address;
    name = offset == 0 ? variable.name : fmt::format("{}+{}", variable.name, offset);
  }
  auto found = std::find(trace_.locks.begin(), trace_.locks.end(), name);
  if (found != trace_.locks.end()) return static_cast<uint32_t>(found - trace_.locks.begin());
  trace_.locks.push_back(name);
  acquisitions_.push_back(0);
  return static_cast<uint32_t>(trace_.locks.size() - 1);
}

void Recorder::EnvironmentWrites(uint32_t place, uint32_t size, uint64_t value) {
  std::memcpy(At(place), &value, size);
  trace_.events.push_back(Event::Make(EventKind::kEnvironment, place, size, value, 0));
}

void Recorder::RandomEnvironment(uint32_t lock) {
  EnvironmentKey key{options_.seed, lock, acquisitions_[lock], options_.prefix.size()};
  for (size_t s = 0; s < trace_.symbols.size(); ++s) {
    const Symbol& symbol = trace_.symbols[s];
    if (!symbol.name.starts_with(options_.prefix)) continue;
    for (uint32_t i = 0; i < symbol.size();) {
      uint32_t unit = EnvironmentUnit(symbol, i);
      bool free = unit > 0;
      for (uint32_t k = i; k < i + unit; ++k) {
        free = free && accessed_[symbol.base + symbol.bytes[k].location] <= recent_unlock_;
      }
      if (free) {
        uint64_t value = EnvironmentValue(key, symbol, i);
        uint64_t old = 0;
        std::memcpy(&old, At(symbol.base + i), unit);
        uint64_t mask = 0;
        for (uint32_t k = 0; k < unit; ++k) mask |= static_cast<uint64_t>(symbol.bytes[i + k].mask) << (8 * k);
        EnvironmentWrites(symbol.base + i, unit, (value & mask) | (old & ~mask));
      }
      i += std::max(unit, 1U);
    }
  }
}

void Recorder::ReplayEnvironment(uint32_t lock) {
  const Trace& from = *options_.environment_of;
  uint32_t index = transition_ - 1;
  if (index >= replay_syncs_.size()) return;
  size_t at = replay_syncs_[index];
  if (from.events[at].kind() != EventKind::kLock || from.locks[from.events[at].place] != trace_.locks[lock]) return;
  for (++at; at < from.events.size() && from.events[at].kind() == EventKind::kEnvironment; ++at) {
    const Event& event = from.events[at];
    const Symbol* symbol = from.SymbolAt(event.place);
    for (const Symbol& own : trace_.symbols) {
      if (own.name != symbol->name) continue;
      EnvironmentWrites(event.place - symbol->base + own.base, event.size(), event.value);
      break;
    }
  }
}

void Recorder::Environment(uint32_t lock) {
  if (!options_.environment) return;
  if (options_.environment_of != nullptr) {
    ReplayEnvironment(lock);
  } else {
    RandomEnvironment(lock);
  }
}

void Recorder::Pokes() {
  for (const Poke& poke : options_.pokes) {
    if (poke.transition + 1 == transition_) EnvironmentWrites(poke.place, poke.size, poke.value);
  }
}

void Recorder::Lock(uint64_t address, uint32_t line) {
  if (stopped()) return;
  uint32_t lock = LockIndex(address);
  trace_.events.push_back(Event::Make(EventKind::kLock, lock, 0, 0, line));
  if (!held_.insert(lock).second) {
    return Stop(RunEnd::kLockMisuse, fmt::format("takes the lock `{}` that it holds", trace_.locks[lock]));
  }
  ++transition_;
  Environment(lock);
  ++acquisitions_[lock];
  Pokes();
}

void Recorder::Unlock(uint64_t address, uint32_t line) {
  if (stopped()) return;
  uint32_t lock = LockIndex(address);
  trace_.events.push_back(Event::Make(EventKind::kUnlock, lock, 0, 0, line));
  if (held_.erase(lock) == 0) {
    return Stop(RunEnd::kLockMisuse, fmt::format("releases the lock `{}` that it does not hold", trace_.locks[lock]));
  }
  recent_unlock_ = transition_;
  ++transition_;
  Pokes();
}

void Recorder::ThreadBegins() {
  trace_.events.push_back(Event::Make(EventKind::kLock, kThreadLock, 0, 0, 0));
  ++transition_;
  Environment(kThreadLock);
  Pokes();
}

void Recorder::ThreadEnds() {
  if (stopped()) return;
  if (!held_.empty()) {
    return Stop(RunEnd::kLockMisuse, fmt::format("ends with the lock `{}` held", trace_.locks[*held_.begin()]));
  }
  trace_.events.push_back(Event::Make(EventKind::kUnlock, kThreadLock, 0, 0, 0));
}

void Recorder::Stop(RunEnd end, std::string reason) {
  if (stopped()) return;
  trace_.end = end;
  trace_.reason = std::move(reason);
}

}  // namespace heddle::refine
